/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_options.h"

#include <string.h>

#include "base/util.h"
#include "options/claimable.h"
#include "workloads/script/script_legacy.h"
#include "workloads/script/script_module.h"
#include "workloads/script/script_source.h"
#include "workloads/script/script_state.h"

static void push_list(lua_State *lua, char *const *list)
{
    lua_newtable(lua);
    for (int i = 0; list != NULL && list[i] != NULL; i++) {
        lua_pushstring(lua, list[i]);
        lua_rawseti(lua, -2, i + 1);
    }
}

static void push_value(lua_State *lua, const struct option_spec *row,
                       const struct option_value *value)
{
    if (row->type == OPTION_BOOL)
        lua_pushboolean(lua, value->integer != 0);
    else if (row->type == OPTION_LIST || row->repeats)
        push_list(lua, value->list);
    else if (value->is_number)
        lua_pushnumber(lua, value->number);
    else if (value->text != NULL || row->type == OPTION_FILE)
        lua_pushstring(lua, value->text);
    else if (row->type == OPTION_STRING)
        lua_pushliteral(lua, "");
    else
        lua_pushnumber(lua, 0); /* scripts in the field calculate with the number */
}

/* Pushes the value in the form that sysbench's scripts expect: a single host or port is not a list,
 * and a switch is not a string. Returns false if the option needs no special form. */
static bool push_as_scripts_know(lua_State *lua, const struct option_spec *row,
                                 const struct option_value *value)
{
    bool alone = value->list != NULL && value->list[0] != NULL && value->list[1] == NULL;
    if (strcmp(row->name, "pgsql-host") == 0 && alone)
        lua_pushstring(lua, value->list[0]);
    else if (strcmp(row->name, "pgsql-port") == 0 && alone)
        lua_pushnumber(lua, strtod(value->list[0], NULL));
    else if (strcmp(row->name, "mysql-ssl") == 0 && strcmp(value->text, "off") == 0)
        lua_pushboolean(lua, false);
    else if (strcmp(row->name, "mysql-ssl") == 0 && strcmp(value->text, "on") == 0)
        lua_pushboolean(lua, true);
    else
        return false;
    return true;
}

/* Sets a field of the table below the value on top of the stack. In the name, '-' is replaced by
 * '_'. */
static void set_field(lua_State *lua, const struct option_spec *row)
{
    char name[128];
    snprintf(name, sizeof(name), "%s", row->name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '-')
            *c = '_';
    lua_setfield(lua, -2, name);
}

/* Sets the option as a field of the table on top of the stack. */
static void export_option(void *arg, const struct option_spec *row,
                          const struct option_value *value)
{
    lua_State *lua = arg;
    if (!push_as_scripts_know(lua, row, value))
        push_value(lua, row, value);
    set_field(lua, row);
}

/* Adds each option's other names to the table on top of the stack. */
static void export_other_names(lua_State *lua)
{
    static const char *const names[][2] = {
        {"tx_rate", "rate"},
        {"num_threads", "threads"},
        {"max_requests", "events"},
        {"max_time", "time"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        lua_getfield(lua, -1, names[i][1]);
        lua_setfield(lua, -2, names[i][0]);
    }
}

/* Scripts expect a single percentile as a number: lists of percentiles did not exist before. */
static void export_percentile(lua_State *lua)
{
    lua_getfield(lua, -1, "percentile");
    if (lua_isnumber(lua, -1)) {
        lua_pushnumber(lua, lua_tonumber(lua, -1));
        lua_setfield(lua, -3, "percentile");
    }
    lua_pop(lua, 1);
}

/* Adds all options to the table on top of the stack. */
static void export_options(lua_State *lua, const struct script_source *source)
{
    options_each(source->options, export_option, lua);
    if (source->claimed != NULL)
        options_each(source->claimed, export_option, lua);
    export_other_names(lua);
    export_percentile(lua);
}

void script_push_options(lua_State *lua, struct script *script)
{
    lua_newtable(lua);
    export_options(lua, script->source);
}

static void export_typed(void *arg, const struct option_spec *row, const struct option_value *value)
{
    struct script *script = arg;
    if (!value->given)
        return;
    lua_pushstring(script->lua, options_typed(script->source->options, row->name));
    set_field(script->lua, row);
}

/* Records under which name each option was given, for messages of the bundled scripts. */
static void export_typed_names(struct script *script)
{
    lua_pushliteral(script->lua, "typed");
    lua_newtable(script->lua);
    options_each(script->source->options, export_typed, script);
    lua_rawset(script->lua, -3);
}

void script_export_options(struct script *script)
{
    lua_State *lua = script->lua;
    script_push_sysbench(lua);
    export_typed_names(script);
    lua_pushliteral(lua, "opt");
    lua_rawget(lua, -2);
    if (lua_istable(lua, -1))
        export_options(lua, script->source);
    lua_pop(lua, 2);
    if (script_export_legacy(script) != 0)
        script_log_failure(script, "legacy options");
}

/* Returns a copy of the string field `name` of the table on top of the stack, or NULL if it does
 * not exist. */
static char *copy_field(lua_State *lua, const char *name)
{
    lua_getfield(lua, -1, name);
    char *copy = lua_isnil(lua, -1) ? NULL : xstrdup(lua_tostring(lua, -1));
    lua_pop(lua, 1);
    return copy;
}

/* Converts an ARG_ constant of sysbench.cmdline. */
static enum option_type type_of_arg(int arg)
{
    static const enum option_type type[] = {
        OPTION_STRING, OPTION_BOOL,   OPTION_INT,  OPTION_SIZE,
        OPTION_DOUBLE, OPTION_STRING, OPTION_LIST, OPTION_FILE,
    };
    return type[arg];
}

static void read_row(lua_State *lua, struct option_spec *row)
{
    *row = (struct option_spec){.name = copy_field(lua, "name"),
                                .fallback = copy_field(lua, "default"),
                                .help = copy_field(lua, "help"),
                                .alone = "",
                                .field = OPTION_NO_FIELD};
    lua_getfield(lua, -1, "tacit");
    row->tacit = lua_toboolean(lua, -1);
    lua_getfield(lua, -2, "kind");
    row->type = type_of_arg((int)lua_tointeger(lua, -1));
    lua_pop(lua, 2);
}

/* Returns "oltp_read_write" for a bundled script, and the test as given otherwise. */
static char *group_name(const struct script_source *source)
{
    char *group = checked_alloc(malloc(strlen(source->test) + sizeof(" options")));
    sprintf(group, "%s options", source->test);
    return group;
}

static void free_row(struct option_spec *row)
{
    free((char *)row->name);
    free((char *)row->fallback);
    free((char *)row->help);
}

/* Returns true if the script may have an option with this name. As in sysbench, a row with the name
 * of an option of sysbench has no effect. */
static bool is_free(const struct script *script, const struct options *set, const char *name)
{
    return options_find(set, name) == NULL ||
           (script->source->claimed != NULL && option_is_claimable(set, name));
}

/* Reads the array of rows on top of the stack. */
static void read_rows(struct script *script, const struct options *set)
{
    size_t count = lua_objlen(script->lua, -1);
    script->declares_options = count > 0;
    script->rows = xcalloc(count + 1, sizeof(*script->rows));
    for (size_t i = 0; i < count; i++) {
        struct option_spec *row = &script->rows[script->row_count];
        lua_rawgeti(script->lua, -1, (int)i + 1);
        read_row(script->lua, row);
        lua_pop(script->lua, 1);
        if (is_free(script, set, row->name))
            script->row_count++;
        else
            free_row(row);
    }
}

static int add_rows(struct script *script, struct options *set)
{
    int status = 0;
    for (size_t i = 0; i < script->row_count && status == 0; i++) {
        const bool claims = options_find(set, script->rows[i].name) != NULL;
        status =
            options_add(claims ? script->source->claimed : set, script->group, &script->rows[i], 1);
    }
    return status;
}

int script_add_options(struct script *script, struct options *set)
{
    lua_State *lua = script->lua;
    if (script_push_module(script, "cmdline") != 0)
        return script_log_failure(script, "sysbench.cmdline");
    lua_getfield(lua, -1, "options");
    lua_remove(lua, -2);
    if (script_pcall(script, 0, 1) != 0)
        return script_log_failure(script, "sysbench.cmdline.options");

    read_rows(script, set);
    lua_pop(lua, 1);
    script->group = group_name(script->source);
    return add_rows(script, set);
}

bool script_has_options(const struct script *script)
{
    return script->declares_options;
}

void script_print_options(const struct script *script, FILE *out)
{
    if (script->group != NULL)
        options_help(script->source->options, script->group, true, out);
    if (script->group != NULL && script->source->claimed != NULL)
        options_help(script->source->claimed, script->group, true, out);
}

void script_free_options(struct script *script)
{
    for (size_t i = 0; i < script->row_count; i++)
        free_row(&script->rows[i]);
    free(script->rows);
    free(script->group);
}
