/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --failover: if a server is gone, its connections are opened on the next server. */
#include "base/log.h"
#include "sql/sql_internal.h"

bool sql_failover_helps(const sql_connection *con)
{
    return con->fails_over && con->conn.error.connection_lost;
}

void sql_failover_move(sql_connection *con)
{
    const unsigned servers = sql_servers(con->driver), server = con->conn.number % servers;
    char name[TARGET_NAME_BYTES];

    if (sql_note_gone(con->driver, server)) {
        sql_server_name(con->driver, server, name, sizeof(name));
        log_text(LOG_WARNING, "%s is gone: connections go to the next host: %s", name,
                 con->conn.error.message);
    }
    con->conn.number = (server + 1) % servers;
}

void sql_failover_reset(sql_connection *con)
{
    if (con->fails_over)
        con->conn.number = con->home;
}
