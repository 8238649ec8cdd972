/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files script_*.c share. */
#ifndef SCRIPT_INTERNAL_H
#define SCRIPT_INTERNAL_H

#include <lua.h>

#include "script/script.h"

struct script {
    lua_State *lua;
    struct script_memory *memory; /* of `lua` */
    const struct script_source *source;
    int thread;
    struct option_spec *rows; /* the script's own options; strings are owned too */
    size_t row_count;
    char *group;                     /* their heading */
    script_report_text *report_text; /* while a report hook runs */
    void *report_arg;
    bool report_failed; /* a report hook has */
};

/*
 * Push the tables `sysbench` and `ffi`, whatever the script has done to the globals of these names.
 */
void script_push_sysbench(lua_State *lua);
void script_push_ffi(lua_State *lua);
/* Pushes a global without asking the metatable of _G, which may raise errors for names that are not
 * there. */
void script_push_global(lua_State *lua, const char *name);

/* Puts into a new state what is ours. −1 with a message on the stack. */
int script_boot(struct script *script);
/* Pushes what the internal module `name` returns when called with (sysbench, ffi). −1 with a
 * message on the stack. */
int script_push_module(struct script *script, const char *name);

/* Calls what lies on the stack with `args` arguments; −1 with a message on the stack in place of
 * the results. */
int script_pcall(struct script *script, int args, int results);

/* Logs and pops the message that a failed script_pcall() of `function` left. Returns −1. */
int script_log_failure(struct script *script, const char *function);

/* Before the body runs, which lies on the stack as a function: gives it the legacy interface if it
 * uses that. −1 as above. */
int script_detect_legacy(struct script *script);
/* After the body has run. For scripts with the legacy interface: −1 with a message on the stack,
 * like all of these. */
int script_finish_legacy(struct script *script);
/* Makes the options globals of such a script. */
int script_export_legacy(struct script *script);

/* Adds the folder of the bundled scripts to package.path, behind LUA_PATH and the defaults. */
void script_set_package_path(lua_State *lua, const char *folder);

/* Pushes a table with the values of all options, as they are now. */
void script_push_options(lua_State *lua, struct script *script);
/* Sets `table`[name] = value, typed, for the table on top of the stack; '-' becomes '_'. */
void script_push_option(lua_State *lua, const struct option_spec *row,
                        const struct option_value *value);

/* Makes `rand` what the calling thread's scripts draw from. */
void script_bind_rand(struct rand *rand);
/* Makes `script` the one whose report hook runs in the calling thread; NULL: none. */
void script_bind_report(struct script *script);

#endif
