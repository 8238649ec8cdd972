/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scripts for sysbench 0.4.12 and 0.5: found by what they use, and given that. */
#ifndef SCRIPT_LEGACY_H
#define SCRIPT_LEGACY_H

#include <stdbool.h>

struct script;

/* Before the body runs, which lies on the stack as a function: gives it the legacy interface if it
 * uses that. −1 with a message on the stack. */
int script_detect_legacy(struct script *script);
/* After the body has run; does nothing in other scripts. −1 with a message on the stack. */
int script_finish_legacy(struct script *script);
/* Makes the options globals of such a script; does nothing in others. −1 with a message on the
 * stack. */
int script_export_legacy(struct script *script);

/* Whether the script, whose body has run, uses the interface of sysbench 0.4.12 and 0.5. */
bool script_is_legacy(struct script *script);
/* Whether such a script declares no options: it takes any then, as strings. Known when the body has
 * run. */
bool script_takes_any_option(struct script *script);

#endif
