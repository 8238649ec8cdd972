/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Lua state and what every file that works on it needs: calls, errors, our tables. */
#ifndef SCRIPT_STATE_H
#define SCRIPT_STATE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct option_spec;
struct script_memory;
struct script_source;

struct script {
    lua_State *lua;
    struct script_memory *memory; /* of `lua` */
    const struct script_source *source;
    int thread;               /* its number, or SCRIPT_MAIN */
    struct option_spec *rows; /* the script's own options; strings are owned too */
    size_t row_count;
    char *group;        /* their heading */
    bool report_failed; /* a report hook has */
    bool wants_end;     /* one of them has called os.exit() */
    bool measuring;     /* os.exit() would lose what was measured, and is an error */
};

/* Opens `lua` with its standard libraries. */
void script_state_init(struct script *script);
void script_state_fini(struct script *script);

/*
 * Push the tables `sysbench` and `ffi`, whatever the script has done to the globals of these names.
 */
void script_push_sysbench(lua_State *lua);
void script_push_ffi(lua_State *lua);

/* Calls what lies on the stack with `args` arguments; −1 with a message on the stack in place of
 * the results. */
int script_pcall(struct script *script, int args, int results);

/* The error value on top of the stack as text, which lies there in its place: scripts may throw
 * anything, also what cannot be shown. */
const char *script_error_text(lua_State *lua);

/* Whether a failure may come of too many open files, which is logged then. */
bool script_lacks_files(const struct script *script);

/* Logs and pops the message that a failed script_pcall() of `function` left. Returns −1. */
int script_log_failure(struct script *script, const char *function);

#endif
