/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_workload.h"

#include "sql/sql_session.h"
#include "sql/sql_watch.h"

static struct probes *probes(void *server)
{
    return sql_watch(server);
}

static void describe(void *server, workload_setting *add, void *arg)
{
    sql_watch_settings(server, add, arg);
}

static bool shares_machine(void *server)
{
    return sql_shares_machine(server);
}

static bool has_server(void *server)
{
    return sql_has_server(server);
}

static void check(void *server, const uint64_t *counters, const struct effects *effects,
                  struct probes *watched, struct probe_report *report)
{
    sql_watch_check(server, counters, effects, watched, report);
}

const struct workload_watch sql_workload_watch = {.probes = probes,
                                                  .describe = describe,
                                                  .shares_machine = shares_machine,
                                                  .has_server = has_server,
                                                  .check = check};

static const char *session_objection(void *server, const char *text)
{
    return sql_session_objection(server, text);
}

static void *session_open(void *server, char *failure, size_t bytes)
{
    return sql_session_open(server, failure, bytes);
}

static int session_execute(void *session, const char *text, char *answer, size_t bytes)
{
    return sql_session_execute(session, text, answer, bytes);
}

static void session_cancel(void *session)
{
    sql_session_cancel(session);
}

static void session_close(void *session)
{
    sql_connection_free(session);
}

const struct workload_sessions sql_workload_sessions = {.objection = session_objection,
                                                        .open = session_open,
                                                        .execute = session_execute,
                                                        .cancel = session_cancel,
                                                        .close = session_close};
