/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look at the tables that the script works on, before and after a run. */
#ifndef SCRIPT_TABLES_H
#define SCRIPT_TABLES_H

#include <stdbool.h>

#include "measure/effects.h"

struct script;

/* Warns where tables are not what the script claims they are (sysbench.hooks.describe_tables). In a
 * thread bound to sql. */
void script_check_tables(struct script *script);
/* Why a write like this, which found nothing or left it `unchanged`, changed nothing: to be freed;
 * NULL: not known. In a thread bound to sql. */
char *script_explain_no_op(struct script *script, const char *statement, enum write_kind kind,
                           bool unchanged);

#endif
