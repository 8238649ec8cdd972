/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls src/workloads/script/lua/tables.lua to check tables before and after a run. */
#include "workloads/script/script_tables.h"

#include <lua.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "sql/sql.h"
#include "workloads/script/script_module.h"
#include "workloads/script/script_source.h"

/* Calls tables.NAME(queries, args…), with the arguments on the stack, and pushes `results` results.
 * Returns −1 with nothing on the stack. */
static int call_tables(struct script *script, const char *name, int args, int results)
{
    lua_State *lua = script->lua;
    if (script_push_module(script, "tables") == 0) {
        lua_getfield(lua, -1, name);
        lua_remove(lua, -2);
        lua_insert(lua, -1 - args);
        if (script_push_module(script, "table_queries") == 0) {
            lua_insert(lua, -1 - args);
            if (script_pcall(script, args + 1, results) == 0)
                return 0;
        }
    }
    log_text(LOG_WARNING, "cannot check the tables: %s", lua_tostring(lua, -1));
    lua_pop(lua, 1);
    return -1;
}

/* Logs the warnings in the array on the stack, below the two other results. */
static void log_warnings(lua_State *lua)
{
    for (int i = 1; i <= (int)lua_objlen(lua, -3); i++) {
        lua_rawgeti(lua, -3, i);
        log_text(LOG_WARNING, "%s", lua_tostring(lua, -1));
        lua_pop(lua, 1);
    }
}

/*
 * Scripts that are not bundled may describe tables that they never use, or create when they start.
 */
static bool is_bundled(const struct script_source *source)
{
    const char *folder = source->folder;
    return source->path != NULL && strncmp(source->path, folder, strlen(folder)) == 0;
}

static void note_found(struct script_tables_found *found, const char *cause)
{
    found->known = cause != NULL;
    snprintf(found->cause, sizeof(found->cause), "%s", cause != NULL ? cause : "");
}

int script_check_tables(struct script *script, struct sql *sql, struct script_tables_found *found)
{
    lua_State *lua = script->lua;
    if (call_tables(script, "check", 0, 3) != 0)
        return 0;
    note_found(found, lua_tostring(lua, -1));
    const char *missing = lua_tostring(lua, -2);
    const bool ends = missing != NULL && script->source->gives_advice && is_bundled(script->source);
    if (ends) {
        log_text(LOG_FATAL, "%s", missing);
        sql_note_missing_table(sql);
    } else {
        log_warnings(lua);
    }
    lua_pop(lua, 3);
    return ends ? -1 : 0;
}

char *script_explain_no_op(struct script *script, const char *statement, enum write_kind kind,
                           bool unchanged, const struct script_tables_found *found)
{
    lua_State *lua = script->lua;
    lua_pushstring(lua, statement);
    lua_pushstring(lua, write_kind_name(kind));
    lua_pushboolean(lua, unchanged);
    lua_pushstring(lua, found->known ? found->cause : NULL); /* nil for NULL */
    if (call_tables(script, "explain", 4, 1) != 0)
        return NULL;
    char *text = lua_isstring(lua, -1) ? xstrdup(lua_tostring(lua, -1)) : NULL;
    lua_pop(lua, 1);
    return text;
}
