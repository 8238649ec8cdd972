/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a test comes from: a file, a module or standard input, read once for all states. */
#ifndef SCRIPT_SOURCE_H
#define SCRIPT_SOURCE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "options/options.h"

/* Thread number of the main thread's state. */
#define SCRIPT_MAIN (-1)

/* Constant while states exist. What stands behind text_bytes is told to them: the caller's. */
struct script_source {
    const char *test; /* as on the command line; "-": standard input */
    char *folder;     /* where the bundled scripts are */
    char *path;       /* the file that was found; NULL: standard input */
    char *text;       /* what the file or standard input holds, read once for all states */
    size_t text_bytes;
    const struct options *options;
    const char *command; /* NULL: none */
    int argc;
    char *const *argv;
    const char *luajit_cmd;               /* as `luajit -j`; NULL, "": none */
    const char *tool_name, *tool_version; /* sysbench.version_string */
    bool gives_advice;                    /* messages say what to do, which those of sysbench do not */
    bool legacy; /* the main thread's state has found the script to be one for sysbench 0.5 */
};

/* The folder of the bundled scripts, for the caller to free. */
char *script_source_bundled(void);

/*
 * Sets the members up to text_bytes, which must be zero before: `test` (NULL: "-") is a file, else
 * a module in LUA_PATH, Lua's own path or the folder of the bundled scripts. −1 after a logged
 * message when it is neither or cannot be read; script_source_fini() must follow all the same.
 */
int script_source_init(struct script_source *source, const char *test);
void script_source_fini(struct script_source *source);

/* Adds the folder of the bundled scripts to package.path, behind LUA_PATH and the defaults. */
void script_source_add_folder(lua_State *lua, const char *folder);

#endif
