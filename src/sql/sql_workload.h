/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations that all database workloads have in common: sampling of their servers and of the
 * sessions there, and sessions for --inject. The `server` argument is the workload's struct sql. */
#ifndef SQL_WORKLOAD_H
#define SQL_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/injection.h"
#include "sql/replicas/staleness.h"
#include "sql/sql_sampler.h"

extern const struct idle_source sql_idle_source;

struct effects;
struct probes;
struct probe_report;
struct plans;

/* Members of an initializer of struct workload_ops (engine/workload.h). */
#define SQL_WORKLOAD_SESSIONS                                                                      \
    .session_objection = sql_workload_objection, .session_open = sql_workload_open,                \
    .session_execute = sql_workload_execute, .session_cancel = sql_workload_cancel,                \
    .session_close = sql_workload_close, .waits = &sql_wait_source, .idle = &sql_idle_source, \
    .staleness = &sql_staleness_source
/* Members of an initializer of struct workload_report (report/workload_report.h). */
#define SQL_WORKLOAD_SERVER                                                                        \
    .probes = sql_workload_probes, .describe = sql_workload_describe,                              \
    .shares_machine = sql_workload_shares_machine, .has_server = sql_workload_has_server,          \
    .check = sql_workload_check, .plans = sql_workload_plans

const char *sql_workload_objection(void *server, const char *text);
void *sql_workload_open(void *server, char *failure, size_t bytes);
int sql_workload_execute(void *session, const char *text, struct injection_outcome *outcome,
                         char *failure, size_t bytes);
void sql_workload_cancel(void *session);
void sql_workload_close(void *session);

struct probes *sql_workload_probes(void *server);
void sql_workload_describe(void *server,
                           void (*add)(void *arg, const char *name, const char *value), void *arg);
bool sql_workload_shares_machine(void *server);
bool sql_workload_has_server(void *server);
void sql_workload_check(void *server, const uint64_t *counters, const struct effects *effects,
                        struct probes *probes, struct probe_report *report);
struct plans *sql_workload_plans(void *server);

#endif
