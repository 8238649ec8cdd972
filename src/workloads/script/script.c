/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script.h"

#include <lauxlib.h>

#include "base/log.h"
#include "engine/worker_api.h"
#include "workloads/script/script_boot.h"
#include "workloads/script/script_legacy.h"
#include "workloads/script/script_module.h"
#include "workloads/script/script_options.h"
#include "workloads/script/script_rand.h"
#include "workloads/script/script_state.h"

/* Pushes a global variable without calling the metatable of _G, which may raise an error for
 * undefined names. */
static void push_global(lua_State *lua, const char *name)
{
    lua_pushstring(lua, name);
    lua_rawget(lua, LUA_GLOBALSINDEX);
}

struct script *script_create(const struct script_source *source, int thread, struct rand *rand)
{
    struct script *script = xcalloc(1, sizeof(*script));
    script->source = source;
    script->thread = thread;
    script_bind_rand(rand);
    script_state_init(script);
    script_source_add_folder(script->lua, source->folder);
    if (script_boot(script) == 0)
        return script;
    if (!script_lacks_files(script))
        log_lines(LOG_FATAL, "cannot start Lua: %s", script_error_text(script->lua));
    script_destroy(script);
    return NULL;
}

void script_destroy(struct script *script)
{
    script_state_fini(script);
    script_free_options(script);
    free(script);
}

static int load_chunk(struct script *script)
{
    const struct script_source *source = script->source;
    lua_State *lua = script->lua;
    lua_pushfstring(lua, source->path != NULL ? "@%s" : "=stdin", source->path);
    int rc = luaL_loadbuffer(lua, source->text, source->text_bytes, lua_tostring(lua, -1));
    lua_remove(lua, -2);
    return rc;
}

int script_load(struct script *script)
{
    if (load_chunk(script) == 0 && script_detect_legacy(script) == 0 &&
        script_pcall(script, 0, 0) == 0 && script_finish_legacy(script) == 0)
        return 0;
    if (!script_lacks_files(script))
        log_lines(LOG_FATAL, "%s", script_error_text(script->lua));
    lua_pop(script->lua, 1);
    return -1;
}

void script_measure(struct script *script)
{
    script->measuring = true;
}

bool script_has_function(struct script *script, const char *name)
{
    push_global(script->lua, name);
    bool found = lua_isfunction(script->lua, -1);
    lua_pop(script->lua, 1);
    return found;
}

int script_call(struct script *script, const char *name)
{
    if (!script_has_function(script, name))
        return 0;
    int args = script->thread == SCRIPT_MAIN ? 0 : 1;
    push_global(script->lua, name);
    if (args == 1)
        lua_pushinteger(script->lua, script->thread);
    return script_pcall(script, args, 0) == 0 ? 0 : script_log_failure(script, name);
}

static int plain_next(lua_State *lua)
{
    lua_pushboolean(lua, worker_next());
    return 1;
}

static int plain_restart(lua_State *lua)
{
    lua_pushboolean(lua, worker_restart());
    return 1;
}

static int plain_leave(lua_State *lua)
{
    (void)lua;
    worker_leave();
    return 0;
}

/* Pushes the functions of the run loop as plain C functions, which run.lua uses until it needs the
 * FFI. */
static void push_plain_api(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        {"worker_next", plain_next},
        {"worker_restart", plain_restart},
        {"worker_leave", plain_leave},
        {NULL, NULL},
    };
    lua_newtable(lua);
    luaL_register(lua, NULL, functions);
}

static int collect(lua_State *lua)
{
    lua_gc(lua, LUA_GCCOLLECT, 0);
    return 0;
}

/* Frees memory that was needed only for loading, so that it is not collected during the run. */
static void collect_garbage(struct script *script)
{
    lua_pushcfunction(script->lua, collect);
    /* the error of a finalizer is ignored, as in lua_close() */
    if (script_pcall(script, 0, 0) != 0)
        lua_pop(script->lua, 1);
}

int script_prepare_events(struct script *script)
{
    collect_garbage(script);
    if (script_push_module(script, "run") != 0)
        return script_log_failure(script, "thread_run");
    push_plain_api(script->lua);
    return 0;
}

/* Field of the registry: the function that wraps event(), left by script_recycle(). */
#define RECYCLE "sysrate.recycle"

int script_recycle(struct script *script)
{
    if (script_push_module(script, "recycle") != 0)
        return script_log_failure(script, "thread_run");
    lua_setfield(script->lua, LUA_REGISTRYINDEX, RECYCLE);
    return 0;
}

/* The same for script_check_own_writes(). */
#define OWN_WRITES "sysrate.own_writes"

int script_check_own_writes(struct script *script)
{
    if (script_push_module(script, "own_writes") != 0)
        return script_log_failure(script, "thread_run");
    lua_setfield(script->lua, LUA_REGISTRYINDEX, OWN_WRITES);
    return 0;
}

/* Replaces event() on top of the stack, if the registry has a function that wraps it. */
static int wrap_event(struct script *script, const char *wrapper)
{
    lua_State *lua = script->lua;
    lua_getfield(lua, LUA_REGISTRYINDEX, wrapper);
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        return 0;
    }
    lua_insert(lua, -2);
    return script_pcall(script, 1, 1) == 0 ? 0 : script_log_failure(script, "thread_run");
}

int script_run_events(struct script *script)
{
    lua_State *lua = script->lua;
    if (script_has_function(script, "thread_run")) {
        lua_getfield(lua, LUA_REGISTRYINDEX, OWN_WRITES);
        if (!lua_isnil(lua, -1))
            log_text(LOG_WARNING, "--read-your-writes has no effect: the script has a run loop of "
                                  "its own");
        lua_pop(lua, 1);
        return script_call(script, "thread_run");
    }
    /* The loop and its functions are on the stack, left by script_prepare_events(). Push the other
     * arguments. */
    push_global(lua, "event");
    if (wrap_event(script, OWN_WRITES) != 0 || wrap_event(script, RECYCLE) != 0)
        return -1;
    lua_pushinteger(lua, script->thread);
    return script_pcall(script, 3, 0) == 0 ? 0 : script_log_failure(script, "thread_run");
}

int script_run_deferred(struct script *script)
{
    lua_State *lua = script->lua;
    if (script_push_module(script, "deferred") != 0)
        return script_log_failure(script, "hooks.deferred");
    lua_getfield(lua, -1, "event");
    lua_remove(lua, -2);
    lua_pushinteger(lua, script->thread);
    return script_pcall(script, 3, 0) == 0 ? 0 : script_log_failure(script, "hooks.deferred");
}

/* Calls a function of the module "cmdline" with the name of the command. */
static int call_cmdline(struct script *script, const char *function, const char *command,
                        int results)
{
    lua_State *lua = script->lua;
    if (script_push_module(script, "cmdline") != 0)
        return -1;
    lua_getfield(lua, -1, function);
    lua_remove(lua, -2);
    lua_pushstring(lua, command);
    return script_pcall(script, 1, results);
}

enum script_command script_find_command(struct script *script, const char *command)
{
    if (call_cmdline(script, "find", command, 1) != 0) {
        script_log_failure(script, "sysbench.cmdline.commands");
        return SCRIPT_COMMAND_NONE;
    }
    int found = (int)lua_tointeger(script->lua, -1);
    lua_pop(script->lua, 1);
    return (enum script_command)found;
}

int script_run_command(struct script *script, const char *command)
{
    if (call_cmdline(script, "call", command, 0) != 0)
        return script_log_failure(script, command);
    return 0;
}
