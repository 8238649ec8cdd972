/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Support for scripts written for sysbench 0.4.12 and 0.5: detects such scripts and provides their
 * globals. */
#ifndef SCRIPT_LEGACY_H
#define SCRIPT_LEGACY_H

#include <stdbool.h>

struct script;

/* Call before the script's body runs; the body is the function on top of the stack. If the body
 * uses the legacy interface, installs it. Returns −1 with a message on the stack. */
int script_detect_legacy(struct script *script);
/* Call after the body has run. Does nothing for other scripts. Returns −1 with a message on the
 * stack. */
int script_finish_legacy(struct script *script);
/* Sets a global variable for each option. Does nothing for other scripts. Returns −1 with a message
 * on the stack. */
int script_export_legacy(struct script *script);

/* Returns true if the script uses the interface of sysbench 0.4.12 and 0.5. Call after the body has
 * run. */
bool script_is_legacy(struct script *script);
/* Returns true if a legacy script declares no options: then it accepts any option, as a string.
 * Call after the body has run. */
bool script_takes_any_option(struct script *script);

#endif
