/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets up a new Lua state before the script runs. As there is a state for each worker, rarely used
 * parts are created only when they are first read: fields of `sysbench`, and the FFI, which needs
 * almost as much memory as everything else.
 */
#include "workloads/script/script_boot.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "engine/worker.h"
#include "workloads/script/embedded.h"
#include "workloads/script/script_module.h"
#include "workloads/script/script_options.h"
#include "workloads/script/script_source.h"
#include "workloads/script/script_state.h"

/* A numeric literal such as 1LL also loads the FFI, without a call of open_ffi(). */
static void push_builtin_ffi(lua_State *lua)
{
    lua_getfield(lua, LUA_REGISTRYINDEX, "_LOADED");
    lua_getfield(lua, -1, "ffi");
    if (lua_isnil(lua, -1)) {
        lua_pop(lua, 1);
        lua_pushcfunction(lua, luaopen_ffi);
        lua_call(lua, 0, 1);
    }
    lua_remove(lua, -2);
}

static void declare_api(lua_State *lua)
{
    lua_getfield(lua, -1, "cdef");
    lua_pushstring(lua, embedded_api_cdef);
    lua_call(lua, 1, 0);
}

/* ffi.__index(ffi, name): on its first call, turns the table into the real FFI. */
static int open_ffi(lua_State *lua)
{
    lua_pushnil(lua);
    lua_setmetatable(lua, 1);
    push_builtin_ffi(lua);
    declare_api(lua);
    lua_pushnil(lua);
    while (lua_next(lua, 3) != 0) {
        lua_pushvalue(lua, -2);
        lua_insert(lua, -2);
        lua_rawset(lua, 1);
    }
    lua_getfield(lua, LUA_REGISTRYINDEX, "_LOADED");
    lua_pushvalue(lua, 1);
    lua_setfield(lua, -2, "ffi");
    lua_pushvalue(lua, 2);
    lua_rawget(lua, 1);
    return 1;
}

/* sysbench.cmdline.print_test_options(). Upvalue 1 is the script. */
static int print_test_options(lua_State *lua)
{
    script_print_options(lua_touserdata(lua, lua_upvalueindex(1)), stdout);
    putchar('\n');
    return 0;
}

static void push_argv(lua_State *lua, const struct script_source *source)
{
    lua_createtable(lua, source->argc, 1);
    for (int i = 0; i < source->argc; i++) {
        lua_pushstring(lua, source->argv[i]);
        lua_rawseti(lua, -2, i);
    }
}

static void push_cmdline(lua_State *lua, struct script *script)
{
    static const char *const types[] = {"ARG_NULL",   "ARG_BOOL",   "ARG_INT",  "ARG_SIZE",
                                        "ARG_DOUBLE", "ARG_STRING", "ARG_LIST", "ARG_FILE"};
    const struct script_source *source = script->source;
    lua_createtable(lua, 0, 16);
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        lua_pushinteger(lua, (lua_Integer)i);
        lua_setfield(lua, -2, types[i]);
    }
    lua_pushboolean(lua, true);
    lua_setfield(lua, -2, "PARALLEL_COMMAND");
    push_argv(lua, source);
    lua_setfield(lua, -2, "argv");
    lua_pushstring(lua, source->command);
    lua_setfield(lua, -2, "command");
    lua_pushstring(lua, source->path != NULL ? source->path : source->test);
    lua_setfield(lua, -2, "script_path");
    lua_pushlightuserdata(lua, script);
    lua_pushcclosure(lua, print_test_options, 1);
    lua_setfield(lua, -2, "print_test_options");
}

static void push_version(lua_State *lua, struct script *script)
{
    lua_pushstring(lua, script->source->tool_version);
}

static void push_version_string(lua_State *lua, struct script *script)
{
    const struct script_source *source = script->source;
    lua_pushfstring(lua, "%s %s", source->tool_name, source->tool_version);
}

/* Fields created on first read, by a C function or by a module. A field may be a part of the table
 * that the module returns. */
static const struct lazy_field {
    const char *name;
    void (*push)(lua_State *lua, struct script *script);
    const char *module, *part;
} lazy_fields[] = {
    {.name = "clock", .module = "clock", .part = "clock"},
    {.name = "cmdline", .push = push_cmdline},
    {.name = "defer", .module = "deferred", .part = "defer"},
    {.name = "error", .module = "error"},
    {.name = "event_type", .module = "event_type"},
    {.name = "histogram", .module = "histogram"},
    {.name = "legacy", .module = "legacy"},
    {.name = "opt", .push = script_push_options},
    {.name = "quality", .module = "quality"},
    {.name = "rand", .module = "rand"},
    {.name = "report_csv", .module = "report", .part = "csv"},
    {.name = "report_default", .module = "report", .part = "default"},
    {.name = "report_json", .module = "report", .part = "json"},
    {.name = "session", .module = "session"},
    {.name = "sleep", .module = "clock", .part = "sleep"},
    {.name = "sql", .module = "sql"},
    {.name = "tally", .module = "tally"},
    {.name = "terminals", .module = "terminals"},
    {.name = "version", .push = push_version},
    {.name = "version_string", .push = push_version_string},
};

static const struct lazy_field *find_lazy_field(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(lazy_fields); i++)
        if (strcmp(lazy_fields[i].name, name) == 0)
            return &lazy_fields[i];
    return NULL;
}

/* Creates the field and pushes it. Raises errors. */
static void push_part(lua_State *lua, const struct lazy_field *field)
{
    script_load_module(lua, field->module);
    if (field->part != NULL)
        lua_getfield(lua, -1, field->part);
}

/* sysbench.__index(sysbench, name), called in any coroutine. Upvalue 1 is the script. */
static int make_field(lua_State *lua)
{
    const char *name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "";
    const struct lazy_field *field = find_lazy_field(name);
    if (field == NULL)
        return 0;
    if (field->push != NULL)
        field->push(lua, lua_touserdata(lua, lua_upvalueindex(1)));
    else
        push_part(lua, field);
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, 1);
    return 1;
}

/* Sets the function on top of the stack as __index of the table below it. */
static void set_index(lua_State *lua)
{
    lua_createtable(lua, 0, 1);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
}

static void make_sysbench(struct script *script)
{
    lua_State *lua = script->lua;
    lua_createtable(lua, 0, 4);
    lua_pushinteger(lua, script->thread == SCRIPT_MAIN ? 0 : script->thread);
    lua_setfield(lua, -2, "tid");
    lua_newtable(lua);
    lua_setfield(lua, -2, "hooks");
    lua_pushlightuserdata(lua, script);
    lua_pushcclosure(lua, make_field, 1);
    set_index(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, LUA_REGISTRYINDEX, "sysbench");
    lua_setglobal(lua, "sysbench");
}

static void make_ffi(lua_State *lua)
{
    lua_newtable(lua);
    lua_pushcfunction(lua, open_ffi);
    set_index(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, LUA_REGISTRYINDEX, "sysbench.ffi");
    lua_setglobal(lua, "ffi");
}

/* print(...): writes each line with one call, so that lines of several threads are not mixed. */
static int print_line(lua_State *lua)
{
    int values = lua_gettop(lua);
    luaL_Buffer line;
    luaL_buffinit(lua, &line);
    for (int i = 1; i <= values; i++) {
        lua_getglobal(lua, "tostring");
        lua_pushvalue(lua, i);
        lua_call(lua, 1, 1);
        if (!lua_isstring(lua, -1))
            return luaL_error(lua, "'tostring' must return a string to 'print'");
        luaL_addvalue(&line);
        if (i < values)
            luaL_addchar(&line, '\t');
    }
    luaL_addchar(&line, '\n');
    luaL_pushresult(&line);
    size_t bytes;
    const char *text = lua_tolstring(lua, -1, &bytes);
    fwrite(text, 1, bytes, stdout);
    return 0;
}

/* os.exit(...). Upvalue 1 is the script, upvalue 2 is the original os.exit(). */
static int leave_program(lua_State *lua)
{
    struct script *script = lua_touserdata(lua, lua_upvalueindex(1));
    if (script->measuring) {
        script->wants_end = true;
        log_text(LOG_FATAL, "os.exit() ends the run with an error; results are reported");
        worker_fail();
        return luaL_error(lua, "os.exit() was called");
    }
    lua_pushvalue(lua, lua_upvalueindex(2));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 0);
    return 0;
}

static void replace_exit(struct script *script)
{
    lua_State *lua = script->lua;
    lua_getglobal(lua, "os");
    lua_pushlightuserdata(lua, script);
    lua_getfield(lua, -2, "exit");
    lua_pushcclosure(lua, leave_program, 2);
    lua_setfield(lua, -2, "exit");
    lua_pop(lua, 1);
}

/*
 * os.setlocale(locale, category). Upvalue 1 is the original. Figures are written and names compared
 * in the locale "C", which all threads share: a decimal comma would move the columns of a CSV file.
 * LuaJIT itself uses the locale only for names of days and months (os.date). Other categories
 * are set as LC_MONETARY, which nothing uses: names of locales are checked and returned as usual.
 */
static int set_locale(lua_State *lua)
{
    static const char *const names[] = {"all",      "time",    "collate", "ctype",
                                        "monetary", "numeric", NULL};
    const int category = luaL_checkoption(lua, 2, "all", names);
    lua_settop(lua, 1);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_pushstring(lua, category <= 1 ? "time" : "monetary");
    lua_call(lua, 2, 1);
    return 1;
}

static void replace_setlocale(lua_State *lua)
{
    lua_getglobal(lua, "os");
    lua_getfield(lua, -1, "setlocale");
    lua_pushcclosure(lua, set_locale, 1);
    lua_setfield(lua, -2, "setlocale");
    lua_pop(lua, 1);
}

/* Replaces require() by a version for scripts (lua/require.lua). */
static int replace_require(struct script *script)
{
    script_push_ffi(script->lua);
    lua_getglobal(script->lua, "require");
    return script_call_module(script, "require", 2);
}

static int obey_luajit_command(struct script *script)
{
    const char *command = script->source->luajit_cmd;
    if (command == NULL || *command == '\0')
        return 0;
    lua_pushstring(script->lua, command);
    return script_call_module(script, "luajit_command", 1);
}

int script_boot(struct script *script)
{
    make_sysbench(script);
    make_ffi(script->lua);
    lua_pushcfunction(script->lua, print_line);
    lua_setglobal(script->lua, "print");
    replace_exit(script);
    replace_setlocale(script->lua);
    return replace_require(script) == 0 ? obey_luajit_command(script) : -1;
}
