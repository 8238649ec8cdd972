/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options between C and Lua: sysbench.opt, and the rows that a script declares. */
#ifndef SCRIPT_OPTIONS_H
#define SCRIPT_OPTIONS_H

#include <lua.h>
#include <stdio.h>

#include "options/options.h"

struct script;

/* Puts the values of source->options into sysbench.opt (and the globals of legacy scripts); call
 * when they are final, before or after the body ran. */
void script_export_options(struct script *script);
/* Pushes a table with the values of all options, as they are now. */
void script_push_options(lua_State *lua, struct script *script);

/* Adds the rows of sysbench.cmdline.options under "NAME options". The rows live as long as
 * `script`. −1 after a logged message. */
int script_add_options(struct script *script, struct options *set);
/* Whether there are any such rows. */
bool script_has_options(const struct script *script);
/* Prints those rows as `TEST help` does, without the heading. */
void script_print_options(const struct script *script, FILE *out);
/* With the script: frees the rows. */
void script_free_options(struct script *script);

#endif
