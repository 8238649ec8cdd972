/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCRIPT_BOOT_H
#define SCRIPT_BOOT_H

struct script;

/* Puts into a new state what is ours. −1 with a message on the stack. */
int script_boot(struct script *script);

#endif
