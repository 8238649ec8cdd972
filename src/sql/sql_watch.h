/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --server-stats, --replica and --server-config: database servers as sources of probes. */
#ifndef SQL_WATCH_H
#define SQL_WATCH_H

#include "options/options.h"
#include "sql/sql.h"
#include "stats/effects.h"
#include "stats/probe.h"

/* Before a run without a database: warns of each of the options that was given. */
void sql_watch_nothing(const struct options *options);

/* What the options ask to be watched; NULL: nothing. Lives no longer than `sql`. */
struct probes *sql_watch(struct sql *sql);

/*
 * Compares what was sent and changed since the start with what the servers counted, and fills
 * the checks of the report. `effects` is NULL where changes are not known for the whole run.
 */
void sql_watch_check(struct sql *sql, const uint64_t *counters, const struct effects *effects,
                     struct probes *probes, struct probe_report *report);

/* Whether a server that the test has opened connections to runs on this machine. */
bool sql_shares_machine(const struct sql *sql);
/* Whether the test talks to a server: not to a database in this process, or to none. */
bool sql_has_server(const struct sql *sql);

typedef void sql_setting(void *arg, const char *name, const char *value);

/* Asks the server for its settings, if the options say so. Logs a warning when it does not tell, or
 * when `add` is NULL: nothing would hold them. */
void sql_watch_settings(struct sql *sql, sql_setting *add, void *arg);

#endif
