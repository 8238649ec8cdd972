/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of one Lua state, for lua_newstate(). A state has hundreds of objects, most of them
 * small, and there may be thousands of states that hardly do anything: small blocks lie side by
 * side without headers, in chunks that grow with the state. A small block that was freed is kept
 * for the next one of its size, until the state is closed; larger ones come from malloc().
 *
 * Belongs to one thread, as its state does.
 */
#ifndef SCRIPT_MEMORY_H
#define SCRIPT_MEMORY_H

#include <stddef.h>

struct script_memory;

struct script_memory *script_memory_create(void);
/* When all blocks have been freed, as lua_close() does. */
void script_memory_destroy(struct script_memory *memory);

/*
 * A lua_Alloc: `memory` is a struct script_memory, and `old_bytes` what `block` was asked for with.
 * Blocks are aligned to 8 bytes, which is what LuaJIT counts on. NULL: freed, or no memory is left.
 */
void *script_memory_resize(void *memory, void *block, size_t old_bytes, size_t new_bytes);

#endif
