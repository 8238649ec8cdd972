/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block consists of its contents, 8 bytes with the position of the block, and 8 bytes with the
 * checksum of both. Computing the checksum of the contents takes time, but it is known as long as
 * the contents stay the same. So stamping a block with its position is fast.
 *
 * Each step of the checksum is a bijection of the added word, and also of the previous checksum.
 * Therefore a change within any single word (contents, position or checksum) is always detected.
 */
#include "workloads/builtins/fileio/fileio_block.h"

#include <stdbool.h>
#include <string.h>

#include "base/rand_stream.h"

#define WORD sizeof(uint64_t)

static inline uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9E3779B97F4A7C15;
    return sum ^ (sum >> 32);
}

static inline uint64_t get_word(const uint8_t *data, size_t bytes)
{
    uint64_t word = 0;
    memcpy(&word, data, bytes);
    return word;
}

static uint64_t sum_contents(const uint8_t *data, size_t bytes)
{
    uint64_t sum = 1;
    size_t i = 0;
    for (; i + WORD <= bytes; i += WORD)
        sum = add_word(sum, get_word(data + i, WORD));
    return i < bytes ? add_word(sum, get_word(data + i, bytes - i)) : sum;
}

static uint64_t position_of(int64_t file, int64_t offset)
{
    return ((uint64_t)file << 44) + (uint64_t)offset;
}

uint64_t fileio_fill(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t seed)
{
    struct rand_stream stream;
    rand_stream_init(&stream, seed, RAND_WORKLOAD, 0);
    size_t contents = (size_t)block_bytes - 2 * WORD;
    for (size_t i = 0; i < contents; i += WORD) {
        uint64_t word = rand_stream_u64(&stream);
        memcpy(data + i, &word, contents - i < WORD ? contents - i : WORD);
    }
    for (int64_t at = block_bytes; at + block_bytes <= bytes; at += block_bytes)
        memcpy(data + at, data, contents);
    return sum_contents(data, contents);
}

void fileio_stamp(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t contents_sum,
                  int64_t file, int64_t offset)
{
    for (int64_t at = 0; at + block_bytes <= bytes; at += block_bytes) {
        uint64_t tail[2] = {position_of(file, offset + at)};
        tail[1] = add_word(contents_sum, tail[0]);
        memcpy(data + at + block_bytes - sizeof(tail), tail, sizeof(tail));
    }
}

static bool is_intact(const uint8_t *block, int64_t block_bytes, int64_t file, int64_t offset)
{
    size_t contents = (size_t)block_bytes - 2 * WORD;
    uint64_t position = get_word(block + contents, WORD);
    return position == position_of(file, offset) &&
           get_word(block + contents + WORD, WORD) ==
               add_word(sum_contents(block, contents), position);
}

int64_t fileio_find_damage(const uint8_t *data, int64_t bytes, int64_t block_bytes, int64_t file,
                           int64_t offset)
{
    for (int64_t at = 0; at + block_bytes <= bytes; at += block_bytes)
        if (!is_intact(data + at, block_bytes, file, offset + at))
            return at;
    return -1;
}
