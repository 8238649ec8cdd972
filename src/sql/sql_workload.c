/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/sql_workload.h"

#include "base/log.h"
#include "sql/sql_internal.h"
#include "sql/sql_plans.h"
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

struct plans *sql_workload_plans(void *server)
{
    if (!options_bool(sql_options(server), "explain"))
        return NULL;
    const sql_driver *drv = sql_driver_in_use(server);
    if (drv == NULL)
        log_text(LOG_WARNING, "--explain has no effect: the test uses no database");
    else if (drv->plans == NULL)
        log_text(LOG_WARNING, "--explain has no effect with the %s driver", drv->ops->name);
    return drv != NULL && drv->plans != NULL ? sql_plans_finish(drv->plans) : NULL;
}
