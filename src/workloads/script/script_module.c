/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_module.h"

#include <lauxlib.h>
#include <string.h>

#include "workloads/script/embedded.h"

static const struct embedded_module *find_module(const char *name)
{
    const struct embedded_module *m = embedded_modules;
    while (m->name != NULL && strcmp(m->name, name) != 0)
        m++;
    return m->name != NULL ? m : NULL;
}

/*
 * run_module(name, …): calls the internal module with the other arguments and returns its results.
 */
static int run_module(lua_State *lua)
{
    const char *name = luaL_checkstring(lua, 1);
    const struct embedded_module *m = find_module(name);
    if (m == NULL)
        return luaL_error(lua, "no internal module '%s'", name);
    if (luaL_loadbuffer(lua, (const char *)m->bytes, m->length, name) != 0)
        return lua_error(lua);
    lua_replace(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

/* Pushes run_module() and its usual three arguments. */
static void push_run_module(lua_State *lua, const char *name)
{
    lua_pushcfunction(lua, run_module);
    lua_pushstring(lua, name);
    script_push_sysbench(lua);
    script_push_ffi(lua);
}

void script_load_module(lua_State *lua, const char *name)
{
    push_run_module(lua, name);
    lua_call(lua, 3, 1);
}

int script_push_module(struct script *script, const char *name)
{
    push_run_module(script->lua, name);
    return script_pcall(script, 3, 1);
}

int script_call_module(struct script *script, const char *name, int args)
{
    lua_pushcfunction(script->lua, run_module);
    lua_insert(script->lua, -1 - args);
    lua_pushstring(script->lua, name);
    lua_insert(script->lua, -1 - args);
    return script_pcall(script, args + 1, 0);
}
