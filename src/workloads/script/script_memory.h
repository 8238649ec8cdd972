/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory allocator of one Lua state, for lua_newstate(). A state has hundreds of objects, most of
 * them small, and there may be thousands of states. Small blocks are allocated without headers next
 * to each other, in chunks whose size grows with the state. A freed small block is kept for the
 * next block of the same size, until the state is closed. Larger blocks come from malloc().
 *
 * An allocator is used by one thread, like its Lua state.
 */
#ifndef SCRIPT_MEMORY_H
#define SCRIPT_MEMORY_H

#include <stddef.h>

struct script_memory;

struct script_memory *script_memory_create(void);
/* All blocks must have been freed, as lua_close() does. */
void script_memory_destroy(struct script_memory *memory);

/*
 * A lua_Alloc: `memory` is a struct script_memory, `old_bytes` the size with which `block` was
 * requested. Blocks are aligned to 8 bytes, as LuaJIT requires. Returns NULL if the block was freed
 * (new_bytes is 0) or no memory is left.
 */
void *script_memory_resize(void *memory, void *block, size_t old_bytes, size_t new_bytes);

#endif
