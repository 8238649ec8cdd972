/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No request arrives after the end of a run, for each way to end, while stuck workers are still
 * waited for. Arrivals are 1 ms apart, so their number shows when the arrivals ended. The wait at
 * the end lasts as long as 100 arrivals.
 */
#include <math.h>

#include "run_fixture.h"

static atomic_uint begun;

static _Noreturn void get_stuck(void)
{
    for (;;)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC);
}

/* The first worker ends the run by calling end(). All workers are stuck, the others in an event. */
static int do_first(void (*end)(void))
{
    if (atomic_fetch_add(&begun, 1) == 0) {
        clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC / 20);
        end();
    } else {
        worker_next();
    }
    get_stuck();
}

static void interrupt(void)
{
    kill(getpid(), SIGINT);
}

static int signal_while_stuck(void)
{
    return do_first(interrupt);
}

static int error_while_stuck(void)
{
    return do_first(worker_fail);
}

static int get_stuck_in_an_event(void)
{
    worker_next();
    get_stuck();
}

/* Each worker leaves the run with worker_leave() but never returns. */
static int leave_and_get_stuck(void)
{
    worker_next();
    clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC / 20);
    worker_leave();
    get_stuck();
}

/* Returns from the run loop early, as thread_run() of a script may. */
static int return_early(void)
{
    worker_next();
    clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC / 20);
    worker_finish(true);
    return 0;
}

struct way {
    const char *end;
    int (*body)(void);
    const char *option, *setting; /* option that makes the run end */
    bool stuck;
};

static const struct way ways[] = {
    {"time", get_stuck_in_an_event, "time", "0.1", true},
    {"signal", signal_while_stuck, "time", "30", true},
    {"error", error_while_stuck, "time", "30", true},
    {"queue_full", get_stuck_in_an_event, "queue-size", "50", true},
    {"slo", get_stuck_in_an_event, "slo", "p99<1ms", true},
    /* With --time, --forced-shutdown would count from there. */
    {"script", leave_and_get_stuck, "time", "0", true},
    {"events", return_early, "time", "30", false},
};
static const char *const waits[] = {"sleep", "spin", "auto"};
static const char *const drains[] = {"0", "0.1"};

#define CASES (int)(ARRAY_SIZE(ways) * ARRAY_SIZE(waits) * ARRAY_SIZE(drains))

/* Returns the expected value of summary.end. If workers are stuck, "forced_shutdown" replaces
 * "time" and "script". */
static const char *name_of_end(const struct way *way)
{
    bool expected = strcmp(way->end, "time") == 0 || strcmp(way->end, "script") == 0;
    return way->stuck && expected ? "forced_shutdown" : way->end;
}

START_TEST(arrivals_end_with_the_run)
{
    const struct way *way = &ways[_i % (int)ARRAY_SIZE(ways)];
    const int rest = _i / (int)ARRAY_SIZE(ways);
    const char *const pairs[] = {"rate",
                                 "1000",
                                 "arrival",
                                 "constant",
                                 "threads",
                                 "2",
                                 "forced-shutdown",
                                 "0.1",
                                 "report-interval",
                                 "0.05",
                                 "arrival-wait",
                                 waits[rest % (int)ARRAY_SIZE(waits)],
                                 "drain",
                                 drains[rest / (int)ARRAY_SIZE(waits)],
                                 "slo-abort",
                                 "0.05",
                                 way->option,
                                 way->setting,
                                 NULL};
    (way->stuck ? execute_stuck : execute)(way->body, pairs);
    ck_assert_str_eq(string("summary.end"), name_of_end(way));
    assert_accounted();
    const double seconds = json_number_value(value("summary.elapsed_s"));
    ck_assert_double_eq_tol((double)integer("summary.requests.offered"), 1000 * seconds, 1.5);
    const json_t *intervals = value("intervals"), *interval;
    size_t i;
    double until = 0;
    json_array_foreach(intervals, i, interval)
    {
        ck_assert_double_eq(json_number_value(json_object_get(interval, "from_s")), until);
        until = json_number_value(json_object_get(interval, "to_s"));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run_ends");
    TCase *tcase = tcase_create("run_ends");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, begin_test, end_test);
    tcase_add_loop_test(tcase, arrivals_end_with_the_run, 0, CASES);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
