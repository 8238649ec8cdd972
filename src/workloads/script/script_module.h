/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the internal Lua modules, which are compiled into the program (embedded.h), into a state.
 * Each call loads the module again. */
#ifndef SCRIPT_MODULE_H
#define SCRIPT_MODULE_H

#include "workloads/script/script_state.h"

/* Calls the module `name` with (sysbench, ffi) and pushes its result. Returns −1 with a message on
 * the stack. */
int script_push_module(struct script *script, const char *name);
/* Like script_push_module(), but raises a Lua error on failure. For functions that are called by
 * Lua. */
void script_load_module(lua_State *lua, const char *name);

/* Calls the module `name` with the `args` values on top of the stack, and removes them. Returns −1
 * with a message in their place. */
int script_call_module(struct script *script, const char *name, int args);

#endif
