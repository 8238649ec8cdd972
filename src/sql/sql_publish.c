/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Publishes which sessions of the server belong to which worker. Sessions at read hosts are not
 * sampled, so they are not published. */
#include "sql/sql_internal.h"
#include "stats/waits.h"

static bool is_published(const sql_connection *con)
{
    return !con->reads && con->stats != NULL && con->stats->waits != NULL && con->conn.ops->waits != NULL;
}

void sql_publish(const sql_connection *con)
{
    if (!is_published(con) || !con->open)
        return;
    const struct wait_key key = {.session = con->conn.ops->waits->session(&con->conn),
                                 .host = con->conn.number % sql_servers(con->driver)};
    if (key.session != 0)
        waits_join(con->stats->waits, con->stats->number, con, key);
}

void sql_unpublish(const sql_connection *con)
{
    if (is_published(con))
        waits_leave(con->stats->waits, con->stats->number, con);
}
