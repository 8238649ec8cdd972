/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the second reading of a log, whose file may have been replaced since the first reading. */
#include "workloads/replay/replay.h"

#include <string.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"

#define QUERY(second, session, text)                                                               \
    "261124  3:37:0" second "\t     " session " Query\tSELECT " text "\n"

static char path[] = "replay.XXXXXX";
static struct replay r;

static void write_log(const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void setup(void)
{
    close(mkstemp(path));
    r = (struct replay){.files = path, .options = {.speed = 1}, .last_due_ns = -1};
    r.plan = (struct timeline_plan){.files = path};
}

static void teardown(void)
{
    free(r.ahead);
    timeline_close(r.timeline);
    replay_lines_destroy(r.lines);
    replay_census_fini(&r.census);
    unlink(path);
}

/* Reads the log as a run does. The file contains `then` when it is read for the second time. */
static void read_twice(const char *first, const char *then)
{
    write_log(first);
    ck_assert_int_eq(replay_census_take(&r.census, &r.plan), 0);
    write_log(then);
    r.lines = replay_lines_create(r.census.sessions, 100);
    r.timeline = timeline_open(&r.plan);
    ck_assert_ptr_nonnull(r.timeline);
    r.ahead = timeline_next(r.timeline);
}

static void check_arrivals(int64_t expected)
{
    int64_t arrivals = 0;
    while (replay_next_ns(&r) != INT64_MAX)
        arrivals++;
    ck_assert_int_eq(arrivals, expected);
}

#define TWO QUERY("1", "7", "1") QUERY("2", "8", "2") QUERY("3", "7", "3")

START_TEST(the_same_log_is_replayed)
{
    read_twice(TWO, TWO);
    check_arrivals(3);
}
END_TEST

START_TEST(a_further_session_ends_the_replay)
{
    read_twice(TWO, QUERY("1", "7", "1") QUERY("2", "8", "2") QUERY("3", "9", "3"));
    check_arrivals(2);
}
END_TEST

/* Session 8 has ended before its second statement. */
START_TEST(a_statement_after_the_end_of_its_session_ends_the_replay)
{
    read_twice(TWO, QUERY("1", "7", "1") QUERY("2", "8", "2") QUERY("3", "8", "3"));
    check_arrivals(2);
}
END_TEST

RUN_SUITE_WITH("replay", 10, setup, teardown, the_same_log_is_replayed,
               a_further_session_ends_the_replay,
               a_statement_after_the_end_of_its_session_ends_the_replay)
