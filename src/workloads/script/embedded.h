/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the build compiles into the program: the internal Lua modules (src/workloads/script/lua) as bytecode
 * with debug information, and the declarations of worker_api.h, sql_api.h and script_api.h.
 * scripts/embed.lua generates embedded.c, and beside it api_functions.c, which refers to every
 * function that the three headers declare: being linked into the program, it keeps all of them
 * there for ffi.C, and one that nobody wrote fails to link.
 */
#ifndef EMBEDDED_H
#define EMBEDDED_H

#include <stddef.h>

struct embedded_module {
    const char *name;           /* the file's name without ".lua" */
    const unsigned char *bytes; /* for luaL_loadbuffer */
    size_t length;
};

/* Sorted by name; the last one's name is NULL. */
extern const struct embedded_module embedded_modules[];

/* The text of the three headers for ffi.cdef: declarations only. */
extern const char embedded_api_cdef[];

#endif
