/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_memory.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"

#define GRAIN_BYTES 8
/* Freed small blocks are reused for the same size only, therefore the number of sizes is limited.
 * Most objects of a state, and the strings of a workload, are smaller than this. */
#define LARGEST_SMALL_BYTES 192
/* malloc() adds 8 bytes. */
#define LEAST_CHUNK_BYTES 2040
/* The size of a new chunk is at most 1/16 of the memory that the state has already. */
#define CHUNK_PART 16

struct chunk {
    struct chunk *older;
};

struct free_block {
    struct free_block *next;
};

struct script_memory {
    struct chunk *newest;
    char *unused, *end;  /* memory of the current chunk that was never used */
    size_t chunks_bytes; /* total size of all chunks */
    /* freed blocks by size, smallest first */
    struct free_block *freed[LARGEST_SMALL_BYTES / GRAIN_BYTES];
};

struct script_memory *script_memory_create(void)
{
    return xcalloc(1, sizeof(struct script_memory));
}

void script_memory_destroy(struct script_memory *memory)
{
    struct chunk *chunk = memory->newest;
    while (chunk != NULL) {
        struct chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    free(memory);
}

static inline bool is_small(size_t bytes)
{
    return bytes <= LARGEST_SMALL_BYTES;
}

static inline size_t size_class(size_t bytes)
{
    return (bytes - 1) / GRAIN_BYTES;
}

static int add_chunk(struct script_memory *memory)
{
    size_t bytes = memory->chunks_bytes / CHUNK_PART / GRAIN_BYTES * GRAIN_BYTES;
    if (bytes < LEAST_CHUNK_BYTES)
        bytes = LEAST_CHUNK_BYTES;
    struct chunk *chunk = malloc(bytes);
    if (chunk == NULL)
        return -1;
    chunk->older = memory->newest;
    memory->newest = chunk;
    memory->unused = (char *)(chunk + 1);
    memory->end = (char *)chunk + bytes;
    memory->chunks_bytes += bytes;
    return 0;
}

static void *take_unused(struct script_memory *memory, size_t bytes)
{
    if (UNLIKELY((size_t)(memory->end - memory->unused) < bytes) && add_chunk(memory) != 0)
        return NULL;
    void *block = memory->unused;
    memory->unused += bytes;
    return block;
}

static void *take_small(struct script_memory *memory, size_t class)
{
    struct free_block *block = memory->freed[class];
    if (block == NULL)
        return take_unused(memory, (class + 1) * GRAIN_BYTES);
    memory->freed[class] = block->next;
    return block;
}

static void *take(struct script_memory *memory, size_t bytes)
{
    return is_small(bytes) ? take_small(memory, size_class(bytes)) : malloc(bytes);
}

static void give_back(struct script_memory *memory, void *block, size_t bytes)
{
    if (!is_small(bytes)) {
        free(block);
        return;
    }
    struct free_block *freed = block;
    freed->next = memory->freed[size_class(bytes)];
    memory->freed[size_class(bytes)] = freed;
}

static void *move(struct script_memory *memory, void *block, size_t old_bytes, size_t new_bytes)
{
    if (is_small(old_bytes) && size_class(old_bytes) == size_class(new_bytes))
        return block;
    if (!is_small(old_bytes) && !is_small(new_bytes))
        return realloc(block, new_bytes);
    void *moved = take(memory, new_bytes);
    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    give_back(memory, block, old_bytes);
    return moved;
}

void *script_memory_resize(void *memory, void *block, size_t old_bytes, size_t new_bytes)
{
    if (new_bytes > 0)
        return block != NULL ? move(memory, block, old_bytes, new_bytes) : take(memory, new_bytes);
    if (block != NULL)
        give_back(memory, block, old_bytes);
    return NULL;
}
