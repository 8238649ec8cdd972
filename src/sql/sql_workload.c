/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_workload.h"

#include "sql/sql_session.h"
#include "sql/sql_watch.h"

const char *sql_workload_objection(void *server, const char *text)
{
    return sql_session_objection(server, text);
}

void *sql_workload_open(void *server, char *failure, size_t bytes)
{
    return sql_session_open(server, failure, bytes);
}

int sql_workload_execute(void *session, const char *text, struct injection_outcome *outcome,
                           char *failure, size_t bytes)
{
    return sql_session_execute(session, text, outcome, failure, bytes);
}

void sql_workload_cancel(void *session)
{
    sql_session_cancel(session);
}

void sql_workload_close(void *session)
{
    sql_connection_free(session);
}

struct probes *sql_workload_probes(void *server)
{
    return sql_watch(server);
}

void sql_workload_describe(void *server, sql_setting *add, void *arg)
{
    sql_watch_settings(server, add, arg);
}

bool sql_workload_shares_machine(void *server)
{
    return sql_shares_machine(server);
}

bool sql_workload_has_server(void *server)
{
    return sql_has_server(server);
}

void sql_workload_check(void *server, const uint64_t *counters, const struct effects *effects,
                        struct probes *probes, struct probe_report *report)
{
    sql_watch_check(server, counters, effects, probes, report);
}
