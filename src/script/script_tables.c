/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at tables before and after a run: src/script/lua/tables.lua. */
#include "script/script_tables.h"

#include <lua.h>

#include "base/log.h"
#include "base/util.h"
#include "script/script_module.h"

/* Pushes what tables.NAME(args…) returns; the arguments lie on the stack. −1 with nothing on it. */
static int call_tables(struct script *script, const char *name, int args)
{
    lua_State *lua = script->lua;
    if (script_push_module(script, "tables") == 0) {
        lua_getfield(lua, -1, name);
        lua_remove(lua, -2);
        lua_insert(lua, -1 - args);
        if (script_pcall(script, args, 1) == 0)
            return 0;
    }
    log_text(LOG_WARNING, "cannot look at the tables: %s", lua_tostring(lua, -1));
    lua_pop(lua, 1);
    return -1;
}

void script_check_tables(struct script *script)
{
    lua_State *lua = script->lua;
    if (call_tables(script, "check", 0) != 0)
        return;
    for (int i = 1; i <= (int)lua_objlen(lua, -1); i++) {
        lua_rawgeti(lua, -1, i);
        log_text(LOG_WARNING, "%s", lua_tostring(lua, -1));
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

char *script_explain_no_op(struct script *script, const char *statement, enum write_kind kind,
                           bool unchanged)
{
    lua_State *lua = script->lua;
    lua_pushstring(lua, statement);
    lua_pushstring(lua, write_kind_name(kind));
    lua_pushboolean(lua, unchanged);
    if (call_tables(script, "explain", 3) != 0)
        return NULL;
    char *text = lua_isstring(lua, -1) ? xstrdup(lua_tostring(lua, -1)) : NULL;
    lua_pop(lua, 1);
    return text;
}
