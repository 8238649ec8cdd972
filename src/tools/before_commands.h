/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of the user that a tool runs before some of its runs: `exec: PROGRAM ARGUMENTS` or
 * `sh: COMMAND`. */
#ifndef BEFORE_COMMANDS_H
#define BEFORE_COMMANDS_H

#include "options/cmdline.h"
#include "options/inject_plan.h"

/* For option rows: returns NULL if the text is such a command, otherwise a description of allowed
 * values. */
const char *before_commands_check(const char *text);
/*
 * Parses all values of the option `name` on the command line, which before_commands_check() has
 * accepted. The commands are the actions of *plan; the caller has to call inject_plan_fini().
 */
void before_commands_load(struct inject_plan *plan, const struct cmdline *cmd, const char *name);
/*
 * Runs the commands one after the other, each until its end, and passes a signal of the user to
 * them. Returns −1 if a command failed, after a logged message that begins with `label`; the
 * message is omitted after a signal.
 */
int before_commands_run(const struct inject_plan *plan, const char *label);

#endif
