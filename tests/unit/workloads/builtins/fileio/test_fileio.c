/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contents of blocks, and the order of events. */
#include <stdlib.h>
#include <string.h>

#include "../../../suite.h"
#include "workloads/builtins/fileio/fileio_block.h"
#include "workloads/builtins/fileio/fileio_order.h"

#define BLOCK 520
#define GROUP (3 * BLOCK)
#define PLACE 40960

static uint8_t group[GROUP];

static void stamp_at(int64_t file, int64_t offset)
{
    uint64_t sum = fileio_fill(group, GROUP, BLOCK, 7);
    fileio_stamp(group, GROUP, BLOCK, sum, file, offset);
}

static int64_t damage_at(int64_t file, int64_t offset)
{
    return fileio_find_damage(group, GROUP, BLOCK, file, offset);
}

START_TEST(stamped_blocks_are_intact)
{
    stamp_at(5, PLACE);
    ck_assert_int_eq(damage_at(5, PLACE), -1);
}
END_TEST

START_TEST(a_block_at_another_position_is_damaged)
{
    stamp_at(5, PLACE);
    ck_assert_int_eq(damage_at(6, PLACE), 0);
    ck_assert_int_eq(damage_at(5, PLACE + BLOCK), 0);
}
END_TEST

START_TEST(every_flipped_bit_is_found)
{
    stamp_at(1, PLACE);
    for (int bit = 0; bit < GROUP * 8; bit++) {
        group[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ck_assert_int_eq(damage_at(1, PLACE), bit / 8 / BLOCK * BLOCK);
        group[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    ck_assert_int_eq(damage_at(1, PLACE), -1);
}
END_TEST

/* The smallest block, and a block whose contents are not a whole number of words. */
START_TEST(odd_sizes)
{
    static const int64_t sizes[] = {FILEIO_BLOCK_MIN, 101};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t sum = fileio_fill(group, 2 * sizes[i], sizes[i], 1);
        fileio_stamp(group, 2 * sizes[i], sizes[i], sum, 0, 0);
        ck_assert_int_eq(fileio_find_damage(group, 2 * sizes[i], sizes[i], 0, 0), -1);
        group[sizes[i] - 17] ^= 1;
        ck_assert_int_eq(fileio_find_damage(group, 2 * sizes[i], sizes[i], 0, 0), 0);
    }
}
END_TEST

/* Order of requests in two files of 5 blocks. */

static struct fileio fileio;
static struct builtin_thread thread = {.test = &fileio};

static void set_up(enum fileio_mode mode, int64_t merged, int64_t fsync_freq)
{
    fileio = (struct fileio){.num = 2,
                             .block_bytes = 64,
                             .total_bytes = 640,
                             .file_bytes = 320,
                             .merged = merged,
                             .fsync_freq = fsync_freq,
                             .rw_ratio = 1.5,
                             .mode = mode};
    fileio_size_groups(&fileio);
}

START_TEST(sequential_requests_cover_each_file_once)
{
    set_up(FILEIO_SEQWR, 2, 0);
    ck_assert_uint_eq(fileio_all_groups(&fileio), 6);
    for (int64_t file = 0; file < 2; file++)
        for (int64_t offset = 0; offset < 320; offset += 128) {
            struct fileio_request request = fileio_draw(&thread);
            ck_assert_int_eq(request.kind, FILEIO_WRITE);
            ck_assert_int_eq(request.file, file);
            ck_assert_int_eq(request.offset, offset);
            ck_assert_int_eq(request.bytes, offset == 256 ? 64 : 128);
        }
    ck_assert_int_eq(fileio_draw(&thread).offset, 0);
}
END_TEST

START_TEST(fsyncs_follow_each_run_of_requests)
{
    set_up(FILEIO_SEQREWR, 0, 3);
    for (int turn = 0; turn < 4; turn++) {
        for (int i = 0; i < 3; i++) {
            struct fileio_request request = fileio_draw(&thread);
            int64_t index = (turn * 3 + i) % 10;
            ck_assert_int_eq(request.kind, FILEIO_WRITE);
            ck_assert_int_eq(request.file * 320 + request.offset, index * 64);
        }
        for (int file = 0; file < 2; file++) {
            struct fileio_request request = fileio_draw(&thread);
            ck_assert_int_eq(request.kind, FILEIO_FSYNC);
            ck_assert_int_eq(request.file, file);
        }
    }
}
END_TEST

START_TEST(reading_needs_no_fsyncs)
{
    set_up(FILEIO_SEQRD, 0, 1);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(fileio_draw(&thread).kind, FILEIO_READ);
}
END_TEST

START_TEST(random_positions_are_valid_and_the_ratio_holds)
{
    static const struct rand_config config = {.type = RAND_UNIFORM,
                                              .seed = 1,
                                              .spec_iter = 12,
                                              .pareto_h = 0.2,
                                              .zipfian_exp = 0.8,
                                              .threads = 1};
    struct rand rand;
    rand_init(&rand, &config, 0);
    struct workload_worker worker = {.rand = &rand};
    thread.worker = &worker;
    set_up(FILEIO_RNDRW, 0, 0);
    int reads = 0, seen[10] = {0};
    for (int i = 0; i < 1000; i++) {
        struct fileio_request request = fileio_draw(&thread);
        reads += request.kind == FILEIO_READ;
        ck_assert_int_ge(request.group, 0);
        ck_assert_int_lt(request.group, 10);
        seen[request.group]++;
        ck_assert_int_eq(request.file * 320 + request.offset, request.group * 64);
    }
    ck_assert_int_eq(reads, 600);
    /* A position that is drawn with probability 1/10 is missed in 1000 draws with probability
     * 10^-46. */
    for (int i = 0; i < 10; i++)
        ck_assert_int_gt(seen[i], 0);
}
END_TEST

RUN_SUITE("fileio", 30, stamped_blocks_are_intact, a_block_at_another_position_is_damaged,
          every_flipped_bit_is_found, odd_sizes, sequential_requests_cover_each_file_once,
          fsyncs_follow_each_run_of_requests, reading_needs_no_fsyncs,
          random_positions_are_valid_and_the_ratio_holds)
