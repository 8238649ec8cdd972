/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_memory.h"

#include <stdint.h>
#include <string.h>

#include "../../suite.h"
#include "base/rand_stream.h"
#include "base/util.h"

#define BLOCKS 500

struct block {
    unsigned char *start;
    size_t bytes;
    unsigned char fill;
};

static void check_content(const struct block *b, size_t bytes)
{
    size_t intact = 0;
    while (intact < bytes && b->start[intact] == b->fill)
        intact++;
    ck_assert_uint_eq(intact, bytes);
}

/* Draws sizes that are often close to the limit between small and large blocks. */
static size_t draw_bytes(struct rand_stream *stream)
{
    uint64_t random = rand_stream_u64(stream);
    return random % 4 == 0 ? 0 : (random >> 8) % (random % 4 == 1 ? 5000 : 400);
}

static void resize(struct script_memory *memory, struct block *b, size_t bytes, unsigned char fill)
{
    check_content(b, b->bytes);
    size_t kept = b->bytes < bytes ? b->bytes : bytes;
    b->start = script_memory_resize(memory, b->start, b->bytes, bytes);
    ck_assert_int_eq(b->start != NULL, bytes > 0);
    ck_assert_uint_eq((uintptr_t)b->start % 8, 0);
    b->bytes = bytes;
    check_content(b, kept);
    b->fill = fill;
    if (bytes > 0)
        memset(b->start, fill, bytes);
}

START_TEST(blocks_keep_their_content)
{
    struct script_memory *memory = script_memory_create();
    struct block blocks[BLOCKS] = {{0}};
    struct rand_stream stream;
    rand_stream_init(&stream, 1, RAND_WORKLOAD, 0);
    for (int i = 0; i < 50000; i++)
        resize(memory, &blocks[rand_stream_u64(&stream) % BLOCKS], draw_bytes(&stream),
               (unsigned char)i);
    for (int i = 0; i < BLOCKS; i++)
        resize(memory, &blocks[i], 0, 0);
    script_memory_destroy(memory);
}
END_TEST

START_TEST(freed_blocks_are_reused)
{
    struct script_memory *memory = script_memory_create();
    void *first = script_memory_resize(memory, NULL, 0, 33);
    void *second = script_memory_resize(memory, NULL, 0, 40);
    script_memory_resize(memory, first, 33, 0);
    ck_assert_ptr_eq(script_memory_resize(memory, NULL, 0, 36), first);
    ck_assert_ptr_eq(script_memory_resize(memory, first, 36, 34), first);
    script_memory_resize(memory, second, 40, 0);
    script_memory_resize(memory, first, 34, 0);
    script_memory_destroy(memory);
}
END_TEST

RUN_SUITE("script_memory", 30, blocks_keep_their_content, freed_blocks_are_reused)
