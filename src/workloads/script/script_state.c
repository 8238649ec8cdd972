/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_state.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/util.h"
#include "options/options.h"
#include "sql/sql.h"
#include "workloads/script/script_memory.h"
#include "workloads/script/script_source.h"

static int panic(lua_State *lua)
{
    log_lines(LOG_FATAL, "Lua: %s", script_error_text(lua));
    return 0;
}

/* LuaJIT without GC64 accepts no other allocator than its own. */
void script_state_init(struct script *script)
{
    script->memory = script_memory_create();
    script->lua = lua_newstate(script_memory_resize, script->memory);
    if (script->lua == NULL)
        script->lua = checked_alloc(luaL_newstate());
    lua_atpanic(script->lua, panic);
    luaL_openlibs(script->lua);
}

void script_state_fini(struct script *script)
{
    lua_close(script->lua);
    script_memory_destroy(script->memory);
}

static int traceback(lua_State *lua)
{
    if (log_enabled(LOG_DEBUG) && lua_isstring(lua, 1))
        luaL_traceback(lua, lua, lua_tostring(lua, 1), 1);
    return 1;
}

int script_pcall(struct script *script, int args, int results)
{
    lua_State *lua = script->lua;
    int handler = lua_gettop(lua) - args;
    lua_pushcfunction(lua, traceback);
    lua_insert(lua, handler);
    int rc = lua_pcall(lua, args, results, handler);
    lua_remove(lua, handler);
    return rc == 0 ? 0 : -1;
}

const char *script_error_text(lua_State *lua)
{
    if (lua_isstring(lua, -1))
        return lua_tostring(lua, -1);
    const char *type = luaL_typename(lua, -1);
    if (luaL_getmetafield(lua, -1, "__tostring")) {
        lua_insert(lua, -2);
        if (lua_pcall(lua, 1, 1, 0) == 0 && lua_isstring(lua, -1))
            return lua_tostring(lua, -1);
    }
    lua_pop(lua, 1);
    return lua_pushfstring(lua, "(error value of type %s)", type);
}

/*
 * If files cannot be opened, the errors of scripts are misleading, for example "module not found".
 */
bool script_lacks_files(const struct script *script)
{
    const struct options *set = script->source->options;
    bool known = set != NULL && options_find(set, "threads") != NULL;
    return limits_files_spent(known ? options_int(set, "threads") : 1);
}

/*
 * Returns true if the error says only that a connection failed, and the reason was logged before.
 */
static bool is_told(const struct script *script)
{
    const char *text = script_error_text(script->lua);
    return script->source->gives_advice && sql_thread_was_refused() &&
           strstr(text, "connection creation failed") != NULL;
}

int script_log_failure(struct script *script, const char *function)
{
    if (!script_lacks_files(script) && !is_told(script))
        log_lines(LOG_FATAL, "`%s' function failed: %s", function, script_error_text(script->lua));
    lua_pop(script->lua, 1);
    return -1;
}

void script_push_sysbench(lua_State *lua)
{
    lua_getfield(lua, LUA_REGISTRYINDEX, "sysbench");
}

void script_push_ffi(lua_State *lua)
{
    lua_getfield(lua, LUA_REGISTRYINDEX, "sysbench.ffi");
}
