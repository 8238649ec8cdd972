/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the tables used by the script, before and after a run. */
#ifndef SCRIPT_TABLES_H
#define SCRIPT_TABLES_H

#include <stdbool.h>

#include "stats/effects.h"

struct script;
struct sql;

/* Result of the check before a run: a possible cause of later statements that change no rows. */
struct script_tables_found {
    bool known;      /* true if the tables were checked */
    char cause[640]; /* possible cause as text; "" if the tables are as expected */
};

/*
 * Logs a warning if tables are not as the script describes them (sysbench.hooks.describe_tables).
 * Call in a thread bound to `sql`. Returns −1 after logging a message if tables of a bundled script
 * are missing: its first statement would fail.
 */
int script_check_tables(struct script *script, struct sql *sql, struct script_tables_found *found);
/* Returns why a statement like this changed no rows, or left a row `unchanged`. The caller frees
 * the string. Returns NULL if the reason is unknown. Call in a thread bound to `sql`. */
char *script_explain_no_op(struct script *script, const char *statement, enum write_kind kind,
                           bool unchanged, const struct script_tables_found *found);

#endif
