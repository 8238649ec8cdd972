/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/request_log.h"

#include <inttypes.h>
#include <unistd.h>

#include "../suite.h"
#include "base/util.h"

/* More entries than fit into one chunk. */
#define MANY 10000
#define STARTED INT64_C(5000000000)

static const char path[] = "test_request_log.tmp";

static FILE *written(const struct request_log *log)
{
    ck_assert_int_eq(request_log_write(log, STARTED, 0, path), 0);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    unlink(path);
    int64_t started = 0;
    ck_assert_int_eq(fscanf(file, "# started_ns %" SCNd64 "\n", &started), 1);
    ck_assert_int_eq(started, STARTED);
    return file;
}

START_TEST(everything_comes_back_in_order)
{
    struct request_log *log = request_log_create(3);
    for (int64_t i = 0; i < MANY; i++)
        for (unsigned thread = 0; thread < 3; thread += 2)
            request_log_add(request_log_thread(log, thread), STARTED + i, STARTED + 2 * i + thread,
                            STARTED + 3 * i);
    FILE *file = written(log);
    unsigned wrong = 0;
    for (unsigned thread = 0; thread < 3; thread += 2)
        for (int64_t i = 0; i < MANY; i++) {
            int64_t arrival, start, end;
            unsigned by;
            int got =
                fscanf(file, "%" SCNd64 "%" SCNd64 "%" SCNd64 "%u\n", &arrival, &start, &end, &by);
            wrong +=
                got != 4 || arrival != i || start != 2 * i + thread || end != 3 * i || by != thread;
        }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(fgetc(file), EOF);
    fclose(file);
    request_log_destroy(log);
}
END_TEST

START_TEST(no_request_is_a_log_without_lines)
{
    struct request_log *log = request_log_create(1);
    FILE *file = written(log);
    ck_assert_int_eq(fgetc(file), EOF);
    fclose(file);
    request_log_destroy(log);
    request_log_destroy(NULL);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_an_error)
{
    struct request_log *log = request_log_create(1);
    ck_assert_int_eq(request_log_write(log, STARTED, 0, "no/such/folder/file"), -1);
    request_log_destroy(log);
}
END_TEST

RUN_SUITE("request_log", 30, everything_comes_back_in_order, no_request_is_a_log_without_lines,
          a_folder_that_is_not_there_is_an_error)
