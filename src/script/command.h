/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands other than `run`: prepare, cleanup, warmup, and those that scripts define. */
#ifndef COMMAND_H
#define COMMAND_H

#include "options/settings.h"
#include "script/script.h"
#include "sql/sql.h"

/*
 * Runs `command` once in `main_script`, or, when the script declares it parallel, in
 * settings->threads threads with states of their own. −1 after a logged message when it is unknown
 * or failed anywhere.
 */
int command_run(const char *command, const struct settings *settings,
                const struct script_source *source, struct sql *sql, struct script *main_script);

#endif
