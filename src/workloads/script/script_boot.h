/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCRIPT_BOOT_H
#define SCRIPT_BOOT_H

struct script;

/* Sets up the tables and functions that scripts find in a new state. Returns −1 with a message on
 * the stack. */
int script_boot(struct script *script);

#endif
