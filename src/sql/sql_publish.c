/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Publishes which sessions of the server belong to which worker. Sessions at read hosts are not
 * sampled, so that only their existence is published. */
#include "sql/sql_internal.h"
#include "stats/waits.h"

static bool is_known(const sql_connection *con)
{
    return con->stats != NULL && con->stats->waits != NULL && con->conn.ops->waits != NULL;
}

static bool is_published(const sql_connection *con)
{
    return is_known(con) && !con->reads;
}

static void note_locked(void *arg, int64_t ns)
{
    const sql_connection *con = arg;
    if (is_published(con))
        waits_locked(con->stats->waits, con->stats->number, ns);
}

void sql_publish(sql_connection *con)
{
    if (!is_known(con) || !con->open)
        return;
    if (con->reads) {
        waits_note_unlisted(con->stats->waits, con->stats->number);
        return;
    }
    con->conn.locked = note_locked;
    con->conn.locked_arg = con;
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
