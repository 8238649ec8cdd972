/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data that is compiled into the program: the internal Lua modules (src/workloads/script/lua) as
 * bytecode with debug information, and the declarations in worker_api.h, sql_api.h and
 * script_api.h. scripts/embed.lua generates embedded.c, and also api_functions.c, which refers to
 * every function declared in the three headers. So the linker keeps these functions for ffi.C, and
 * reports an error if one is not defined.
 */
#ifndef EMBEDDED_H
#define EMBEDDED_H

#include <stddef.h>

struct embedded_module {
    const char *name;           /* name of the file without ".lua" */
    const unsigned char *bytes; /* for luaL_loadbuffer */
    size_t length;
};

/* Sorted by name. The last entry has the name NULL. */
extern const struct embedded_module embedded_modules[];

/* Declarations of the three headers, as text for ffi.cdef. */
extern const char embedded_api_cdef[];

#endif
