/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of a test: a file, a module or standard input, read once for all states. */
#ifndef SCRIPT_SOURCE_H
#define SCRIPT_SOURCE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "options/options.h"

/* Thread number in the state of the main thread. */
#define SCRIPT_MAIN (-1)

/* Constant while states exist. The members after text_bytes are set by the caller. */
struct script_source {
    const char *test; /* as on the command line; "-" means standard input */
    char *folder;     /* folder of the bundled scripts */
    char *path;       /* path of the file; NULL if read from standard input */
    char *hidden;     /* path of the bundled script that this file replaces, or NULL */
    char *text;       /* content of the file or standard input */
    size_t text_bytes;
    const struct options *options;
    /* Options of the script with the names of claimable ones (claimable.h), which they replace;
     * NULL if the script may not claim names. script_add_options() fills the set. */
    struct options *claimed;
    const char *command; /* NULL if there is no command */
    int argc;
    char *const *argv;
    const char *luajit_cmd; /* arguments as for `luajit -j`; NULL or "" if not given */
    const char *tool_name, *tool_version; /* sysbench.version_string */
    bool gives_advice; /* messages include advice, which sysbench's messages do not have */
    bool legacy; /* the main thread's state has detected a script for sysbench 0.4.12 or 0.5 */
};

/* Returns the folder of the bundled scripts. The caller frees the string. */
char *script_source_bundled(void);

/*
 * Sets the members up to text_bytes, which must be zero before. `test` is the name of a file, or of
 * a module in LUA_PATH, Lua's default path or the folder of the bundled scripts; NULL means "-".
 * Returns −1 after logging a message if the test does not exist or cannot be read.
 * script_source_fini() must be called in both cases.
 */
int script_source_init(struct script_source *source, const char *test);
/* Returns true if script_source_init() would find the test. */
bool script_source_exists(const char *test);
void script_source_fini(struct script_source *source);

/* After an error in the script: if its file was taken in place of a bundled test, logs how to get
 * the bundled test. */
void script_source_tell_hidden(const struct script_source *source);

/* Appends the folder of the bundled scripts to package.path, after LUA_PATH and the defaults. */
void script_source_add_folder(lua_State *lua, const char *folder);

#endif
