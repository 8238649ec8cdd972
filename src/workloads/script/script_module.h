/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internal Lua modules, which are part of the program (embedded.h): loaded into a state at each
 * call. */
#ifndef SCRIPT_MODULE_H
#define SCRIPT_MODULE_H

#include "workloads/script/script_state.h"

/* Pushes what the module `name` returns when called with (sysbench, ffi). −1 with a message on the
 * stack. */
int script_push_module(struct script *script, const char *name);
/* For functions that Lua calls: as script_push_module(), but raises errors. */
void script_load_module(lua_State *lua, const char *name);

/* Calls the module `name` with the `args` values on top of the stack, which it takes away. −1 with
 * a message in their place. */
int script_call_module(struct script *script, const char *name, int args);

#endif
