/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look at the tables that the script works on, before and after a run. */
#ifndef SCRIPT_TABLES_H
#define SCRIPT_TABLES_H

#include <stdbool.h>

#include "stats/effects.h"

struct script;
struct sql;

/* What the look before a run has found that would explain writes which find nothing. */
struct script_tables_found {
    bool known;      /* tables were looked at */
    char cause[640]; /* "": they were as claimed */
};

/*
 * Warns where tables are not what the script claims they are (sysbench.hooks.describe_tables). In a
 * thread bound to sql. −1 after a logged message: a bundled script lacks tables, as its run would
 * find at its first statement.
 */
int script_check_tables(struct script *script, struct sql *sql, struct script_tables_found *found);
/* Why a write like this, which found nothing or left it `unchanged`, changed nothing: to be freed;
 * NULL: not known. In a thread bound to sql. */
char *script_explain_no_op(struct script *script, const char *statement, enum write_kind kind,
                           bool unchanged, const struct script_tables_found *found);

#endif
