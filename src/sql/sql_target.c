/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics per server for runs with several servers: each server is a target of stats. */
#include "sql/replicas/read_hosts.h"

/* Every thread registers all servers in the order of the options, so the order of the targets does
 * not depend on which thread connects first. */
void sql_target_join(sql_connection *con)
{
    const unsigned count = read_hosts_all(con->driver), server = read_hosts_server(con);

    if (con->stats == NULL || count < 2)
        return;
    for (unsigned i = 0; i < count; i++) {
        char name[TARGET_NAME_BYTES];
        read_hosts_name(con->driver, i, name, sizeof(name));
        unsigned target = targets_find(con->stats->targets, name);
        if (i == server)
            con->target = target;
    }
    con->part = targets_part(con->stats->targets, con->stats->number, con->target);
    sql_target_aim(con);
}

/* The connection does not come back to its old target, so it no longer counts as missing there. */
static void leave(sql_connection *con, unsigned target)
{
    struct targets *targets = con->stats->targets;

    if (con->lost)
        targets_missing(targets, -1);
    else
        targets_connections(targets, target, 0, 1);
    targets_connection_left(targets, target);
    con->lost = false;
}

void sql_target_note_back(sql_connection *con)
{
    const unsigned before = con->target;

    if (con->part != NULL && con->fails_over)
        sql_target_join(con);
    if (con->target == before) {
        sql_target_note_lost(con, false);
        return;
    }
    leave(con, before);
    sql_target_note_open(con);
}

void sql_target_note_open(sql_connection *con)
{
    if (con->part != NULL)
        targets_connections(con->stats->targets, con->target, 1, 0);
}

void sql_target_note_lost(sql_connection *con, bool lost)
{
    if (con->stats == NULL || lost == con->lost)
        return;
    if (con->part != NULL)
        targets_connections(con->stats->targets, con->target, 0, lost ? 1 : -1);
    targets_missing(con->stats->targets, lost ? 1 : -1);
    con->lost = lost;
}

void sql_target_note_gone(sql_connection *con)
{
    if (con->lost && con->part != NULL)
        leave(con, con->target);
    else
        sql_target_note_lost(con, false);
}
