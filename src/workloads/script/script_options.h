/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connects options to Lua: sysbench.opt, and the options that a script declares. */
#ifndef SCRIPT_OPTIONS_H
#define SCRIPT_OPTIONS_H

#include <lua.h>
#include <stdio.h>

#include "options/options.h"

struct script;

/* Copies the values of source->options to sysbench.opt (and to the globals of legacy scripts). Call
 * this when the values are final, before or after the body has run. */
void script_export_options(struct script *script);
/* Pushes a table with the current values of all options. */
void script_push_options(lua_State *lua, struct script *script);

/* Adds the options that the script declares in sysbench.cmdline.options to `set`, under the heading
 * "NAME options", and those with the names of claimable options to source->claimed. They are valid
 * as long as `script`. Returns −1 after logging a message. */
int script_add_options(struct script *script, struct options *set);
/* Returns true if the script has declared options. */
bool script_has_options(const struct script *script);
/* Prints the declared options as `TEST help` does, without the heading. */
void script_print_options(const struct script *script, FILE *out);
/* Frees the declared options; called when the script is destroyed. */
void script_free_options(struct script *script);

#endif
