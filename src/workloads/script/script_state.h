/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Lua state, and basic operations used by all files that work on it: calls, errors, access to our
 * tables. */
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
    struct script_memory *memory; /* allocator of `lua` */
    const struct script_source *source;
    int thread;               /* number of the thread, or SCRIPT_MAIN */
    struct option_spec *rows; /* options declared by the script; owned, including their strings */
    size_t row_count;
    bool declares_options; /* true also if all of them are options that exist already */
    char *group;        /* heading of the declared options */
    bool report_failed; /* true if a report hook has raised an error */
    bool wants_end;     /* true if a report hook has called os.exit() */
    bool measuring;     /* true while os.exit() would lose measured data, and is an error */
};

/* Creates `lua` with the standard libraries. */
void script_state_init(struct script *script);
void script_state_fini(struct script *script);

/*
 * Push the tables `sysbench` and `ffi`, even if the script has changed the globals of these names.
 */
void script_push_sysbench(lua_State *lua);
void script_push_ffi(lua_State *lua);

/* Calls the function on the stack with `args` arguments. Returns −1 with a message on the stack
 * instead of the results. */
int script_pcall(struct script *script, int args, int results);

/* Converts the error value on top of the stack to a string, in place, and returns it. Scripts may
 * raise any value as an error. */
const char *script_error_text(lua_State *lua);

/* Returns true if the failure may be caused by too many open files, which is then logged. */
bool script_lacks_files(const struct script *script);

/* Logs the message that a failed script_pcall() of `function` has left on the stack, and pops it.
 * Always returns −1. */
int script_log_failure(struct script *script, const char *function);

#endif
