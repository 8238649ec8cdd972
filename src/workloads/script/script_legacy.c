/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Support for scripts of sysbench 0.4.12 and 0.5: lua/legacy_detect.lua detects them,
 * lua/legacy.lua provides their globals, and is only loaded for them. */
#include "workloads/script/script_legacy.h"

#include <lauxlib.h>
#include <string.h>

#include "workloads/script/script_module.h"
#include "workloads/script/script_source.h"
#include "workloads/script/script_state.h"

/* Globals that are read by legacy scripts only. */
static const char names[] = " test num_threads thread_id db_driver db_connect db_disconnect "
                            "db_query db_bulk_insert_init db_bulk_insert_next"
                            " db_bulk_insert_done db_prepare db_bind_param db_bind_result "
                            "db_execute db_store_results db_free_results db_close"
                            " sb_rand sb_rand_uniform sb_rand_gaussian sb_rand_special "
                            "sb_rand_pareto sb_rand_uniq sb_rand_str sb_rnd"
                            " DB_ERROR_NONE DB_ERROR_RESTART_TRANSACTION DB_ERROR_FAILED ";

static bool is_legacy_name(const char *name)
{
    size_t length = strlen(name);
    if (strchr(name, ' ') != NULL)
        return false;
    for (const char *found = names; (found = strstr(found, name)) != NULL; found += length)
        if (length > 0 && found[-1] == ' ' && found[length] == ' ')
            return true;
    return false;
}

/* Pushes sysbench.legacy if it is loaded. Never loads it. */
static bool push_legacy(lua_State *lua)
{
    script_push_sysbench(lua);
    lua_pushliteral(lua, "legacy");
    lua_rawget(lua, -2);
    lua_remove(lua, -2);
    if (lua_istable(lua, -1))
        return true;
    lua_pop(lua, 1);
    return false;
}

/* Reading sysbench.legacy loads the module, which sets the globals. */
static void install(lua_State *lua)
{
    script_push_sysbench(lua);
    lua_getfield(lua, -1, "legacy");
    lua_pop(lua, 2);
}

/* _G.__index(globals, name): installs the legacy interface if a file loaded by the script is the
 * first one that reads a legacy global. */
static int missing_global(lua_State *lua)
{
    const char *name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "";
    if (!is_legacy_name(name))
        return 0;
    lua_pushnil(lua);
    lua_setmetatable(lua, 1);
    install(lua);
    lua_settop(lua, 2);
    lua_rawget(lua, 1);
    return 1;
}

static void watch_globals(lua_State *lua)
{
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, missing_global);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, LUA_GLOBALSINDEX);
}

/* The result of the main thread's state is used in all states. */
static int is_legacy(struct script *script, bool *legacy)
{
    *legacy = script->source->legacy;
    if (script->thread != SCRIPT_MAIN)
        return 0;
    lua_State *lua = script->lua;
    if (script_push_module(script, "legacy_detect") != 0)
        return -1;
    lua_pushvalue(lua, -2);
    lua_pushstring(lua, names);
    if (script_pcall(script, 2, 1) != 0)
        return -1;
    *legacy = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return 0;
}

int script_detect_legacy(struct script *script)
{
    bool legacy;
    if (is_legacy(script, &legacy) != 0)
        return -1;
    if (legacy)
        install(script->lua);
    else
        watch_globals(script->lua);
    return 0;
}

bool script_is_legacy(struct script *script)
{
    bool legacy = push_legacy(script->lua);
    if (legacy)
        lua_pop(script->lua, 1);
    return legacy;
}

/* Pushes a function of legacy.lua, if the script is a legacy script. */
static bool push_function(lua_State *lua, const char *name)
{
    if (!push_legacy(lua))
        return false;
    lua_getfield(lua, -1, name);
    lua_remove(lua, -2);
    return true;
}

int script_finish_legacy(struct script *script)
{
    if (!push_function(script->lua, "body_done"))
        return 0;
    if (script_push_module(script, "legacy_detect") != 0)
        return -1;
    return script_pcall(script, 1, 0);
}

int script_export_legacy(struct script *script)
{
    if (!push_function(script->lua, "export_options"))
        return 0;
    return script_pcall(script, 0, 0);
}

bool script_takes_any_option(struct script *script)
{
    lua_State *lua = script->lua;
    if (!push_legacy(lua))
        return false;
    script_push_sysbench(lua);
    lua_getfield(lua, -1, "cmdline");
    lua_getfield(lua, -1, "options");
    bool declares = !lua_isnil(lua, -1);
    lua_pop(lua, 4);
    return !declares;
}
