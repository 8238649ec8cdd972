/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples the database servers during a run (--server-stats, --replica) and reads their settings
 * (--server-config). */
#ifndef SQL_WATCH_H
#define SQL_WATCH_H

#include "options/options.h"
#include "sql/sql.h"
#include "stats/effects.h"
#include "stats/probe.h"

/* For a run without a database: warns about each of the three options that was given. */
void sql_watch_nothing(const struct options *options);

/* Creates the probes that the options request, or returns NULL if they request none. The probes
 * must be destroyed before `sql`. */
struct probes *sql_watch(struct sql *sql);

/*
 * Compares the statements sent and the rows changed since the start with the servers' own counts,
 * and fills the checks in `report`. `effects` is NULL if changed rows are not known for the whole
 * run.
 */
void sql_watch_check(struct sql *sql, const uint64_t *counters, const struct effects *effects,
                     struct probes *probes, struct probe_report *report);

/* True if the database, or one of several servers, runs on this machine. */
bool sql_shares_machine(const struct sql *sql);
/* True if the test uses a database server; false if it uses a database inside this process or no
 * database. */
bool sql_has_server(const struct sql *sql);

typedef void sql_setting(void *arg, const char *name, const char *value);

/* With --server-config, or with --archive unless --server-config is off: calls `add` for each
 * setting of the server. Logs a warning if the server does not return its settings, or if `add` is
 * NULL because no report has a place for them. */
void sql_watch_settings(struct sql *sql, sql_setting *add, void *arg);

#endif
