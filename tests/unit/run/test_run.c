/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/socket.h>

#include "run_fixture.h"

/* Records the mutexes that are initialised while `noting` is set, and counts destroyed mutexes that
 * were not recorded. */

#define MUTEXES 1024

static atomic_bool noting;
static pthread_mutex_t *noted[MUTEXES];
static atomic_uint noted_count, strangers;

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
    static int (*real)(pthread_mutex_t *, const pthread_mutexattr_t *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_init");
    if (atomic_load(&noting))
        noted[atomic_fetch_add(&noted_count, 1) % MUTEXES] = mutex;
    return real(mutex, attr);
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    static int (*real)(pthread_mutex_t *);
    bool known = !atomic_load(&noting);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_destroy");
    for (unsigned i = 0; i < MUTEXES && !known; i++)
        known = noted[i] == mutex;
    if (!known)
        atomic_fetch_add(&strangers, 1);
    return real(mutex);
}

/* Bodies of the workers. */

static int work(void)
{
    while (worker_next())
        continue;
    return 0;
}

static int fail_at_once(void)
{
    worker_next();
    return -1;
}

static int leave(void)
{
    worker_next();
    worker_leave();
    return 0;
}

static int interrupt(void)
{
    worker_next();
    kill(getpid(), SIGINT);
    return work();
}

static _Noreturn void get_stuck(void)
{
    for (;;)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC);
}

static int hang(void)
{
    worker_next();
    get_stuck();
}

/* The first request takes 0.2 s, so that others wait in the queue. */
#define ASIDE 5
static int set_aside(void)
{
    struct worker_request request[ASIDE];
    worker_next();
    clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC / 5);
    for (int i = 0; i < ASIDE; i++) {
        worker_next();
        worker_detach(&request[i]);
    }
    get_stuck();
}

static int take_nothing(void)
{
    get_stuck();
}

START_TEST(a_run_ends_after_its_events)
{
    execute(work, (const char *[]){"events", "1000", "threads", "3", "time", "0", NULL});
    ck_assert_int_eq(code, EXIT_WELL);
    ck_assert(!abandoned);
    ck_assert_str_eq(string("summary.end"), "events");
    ck_assert_int_eq(integer("summary.requests.completed"), 1000);
    ck_assert_uint_eq(atomic_load(&ended_threads), 3);
    assert_accounted();
}
END_TEST

START_TEST(a_run_ends_after_its_arrivals)
{
    execute(work, (const char *[]){"events", "200", "rate", "2000", "time", "0", NULL});
    ck_assert_int_eq(code, EXIT_WELL);
    ck_assert_str_eq(string("summary.end"), "events");
    ck_assert_int_eq(integer("summary.requests.offered"), 200);
    ck_assert_int_eq(integer("summary.requests.completed"), 200);
    ck_assert_int_eq(integer("summary.wait_ms.count"), 200);
}
END_TEST

START_TEST(a_run_ends_after_its_time)
{
    execute(work, (const char *[]){"rate", "1000", "time", "0.5", "warmup-time", "0.2",
                                   "report-interval", "0.2", "report-checkpoints", "0.4", NULL});
    ck_assert_int_eq(code, EXIT_WELL);
    ck_assert_str_eq(string("summary.end"), "time");
    ck_assert_int_eq(json_array_size(value("checkpoints")), 1);
    ck_assert_uint_ge(json_array_size(value("intervals")), 2);
    assert_accounted();
    const char *heading = strstr(printed, "Checkpoint report:");
    ck_assert_ptr_nonnull(heading);
    ck_assert_ptr_nonnull(strstr(heading, "Verdict:"));
}
END_TEST

/* The report is written although no event was executed. */
START_TEST(a_thread_that_cannot_start_fails_the_run)
{
    refuse_thread = true;
    execute(work, (const char *[]){"threads", "2", NULL});
    ck_assert_int_eq(code, EXIT_FAILED);
    ck_assert_uint_eq(atomic_load(&failures_explained), 1);
    ck_assert_uint_eq(atomic_load(&ended_threads), 0);
    ck_assert_ptr_nonnull(report);
    ck_assert_ptr_null(strstr(printed, "Throughput:"));
}
END_TEST

START_TEST(a_failing_workload_ends_the_run)
{
    execute(fail_at_once, (const char *[]){NULL});
    ck_assert_int_eq(code, EXIT_FAILED);
    ck_assert_str_eq(string("summary.end"), "error");
    ck_assert_int_eq(integer("summary.exit_code"), EXIT_FAILED);
    ck_assert_int_eq(integer("summary.requests.failed"), 1);
    ck_assert_ptr_nonnull(strstr(printed, "Throughput:"));
}
END_TEST

START_TEST(a_script_may_end_the_run)
{
    execute(leave, (const char *[]){"threads", "2", NULL});
    ck_assert_int_eq(code, EXIT_WELL);
    ck_assert_str_eq(string("summary.end"), "script");
    ck_assert_int_eq(integer("summary.requests.completed"), 2);
}
END_TEST

START_TEST(a_signal_ends_the_run)
{
    execute(interrupt, (const char *[]){"rate", "1000", NULL});
    ck_assert_int_eq(code, EXIT_BY_SIGNAL + SIGINT);
    ck_assert_str_eq(string("summary.end"), "signal");
    assert_accounted();
}
END_TEST

START_TEST(a_full_queue_ends_the_run)
{
    execute_stuck(take_nothing, (const char *[]){"rate", "10000", "queue-size", "10",
                                                 "forced-shutdown", "0", NULL});
    ck_assert_int_eq(code, EXIT_FAILED);
    ck_assert_ptr_nonnull(strstr(printed, "The event queue is full."));
    ck_assert_int_eq(integer("summary.requests.unfinished"), 10);
    assert_accounted();
}
END_TEST

/* The first event takes 1 s. So the worker is given up, and continues after the end of the run. */
static int continue_after_the_run(void)
{
    worker_next();
    clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC);
    return work();
}

#define STACK_FRAMES 64
#define FRAME_BYTES 8192

/* Overwrites 512 KiB of the stack, including everything that run_execute() had there. */
static __attribute__((noinline)) unsigned overwrite_stack(unsigned frames)
{
    volatile char frame[FRAME_BYTES];
    for (unsigned i = 0; i < sizeof(frame); i++)
        frame[i] = 0x55;
    const unsigned below = frames > 1 ? overwrite_stack(frames - 1) : 0;
    return below + (unsigned char)frame[frames % FRAME_BYTES];
}

static bool have_ended(unsigned threads)
{
    const int64_t deadline_ns = clock_now_ns() + 20 * NS_PER_SEC;
    while (atomic_load(&ended_threads) < threads && clock_now_ns() < deadline_ns)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    /* A thread increments the counter before it reports its end to the pool. */
    clock_sleep_until_ns(clock_now_ns() + NS_PER_SEC / 5);
    return atomic_load(&ended_threads) == threads;
}

/* Workers that are given up may continue at any time until the process ends, for example during
 * done() of a script. All that they use must still exist. */
static void give_up_workers(const char *rate)
{
    execute_stuck(continue_after_the_run,
                  (const char *[]){"threads", "3", "time", "0.2", "forced-shutdown", "0", "rate",
                                   rate, NULL});
    ck_assert_int_eq(code, EXIT_FORCED);
    ck_assert_uint_eq(overwrite_stack(STACK_FRAMES), STACK_FRAMES * 0x55);
    ck_assert(have_ended(3));
}

START_TEST(stuck_workers_may_continue_after_a_closed_loop)
{
    give_up_workers("0");
}
END_TEST

START_TEST(stuck_workers_may_continue_after_a_run_at_a_rate)
{
    give_up_workers("100");
}
END_TEST

/* The same for a run that does not start, because a thread takes too long to start. */
START_TEST(threads_may_start_after_a_failed_run)
{
    start_takes_ns = 2 * NS_PER_SEC;
    execute_stuck(work, (const char *[]){"threads", "2", "thread-init-timeout", "0.2", NULL});
    ck_assert_int_eq(code, EXIT_FAILED);
    ck_assert_uint_eq(overwrite_stack(STACK_FRAMES), STACK_FRAMES * 0x55);
    ck_assert(have_ended(2));
}
END_TEST

START_TEST(stuck_workers_are_given_up)
{
    execute_stuck(hang,
                  (const char *[]){"threads", "3", "time", "1", "forced-shutdown", "0", NULL});
    ck_assert_int_eq(code, EXIT_FORCED);
    ck_assert_str_eq(string("summary.end"), "forced_shutdown");
    ck_assert_int_eq(integer("summary.requests.unfinished"), 3);
    ck_assert_int_eq(integer("summary.response_ms.censored"), 3);
    assert_accounted();
}
END_TEST

/*
 * The wait of detached requests is not known, so it is censored at 0. It must not be recorded as 0.
 */
START_TEST(detached_requests_are_censored)
{
    execute_stuck(set_aside,
                  (const char *[]){"rate", "1000", "time", "2", "forced-shutdown", "0", NULL});
    ck_assert_int_eq(code, EXIT_FORCED);
    ck_assert_int_eq(integer("summary.requests.in_service"), ASIDE);
    ck_assert_int_eq(integer("summary.response_ms.censored"),
                     integer("summary.requests.unfinished"));
    /* Only the first request has completed. */
    ck_assert_int_eq(integer("summary.wait_ms.count"), 1);
    ck_assert_int_eq(integer("summary.wait_ms.censored"), integer("summary.requests.unfinished"));
    ck_assert_int_eq(integer("summary.service_ms.censored"), ASIDE);
    assert_accounted();
}
END_TEST

/* The run fails before it starts, and must not destroy objects that were never created. */
START_TEST(an_output_that_cannot_be_opened_fails_the_run)
{
    int taken = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof(address);
    char text[64];
    ck_assert_int_eq(bind(taken, (struct sockaddr *)&address, bytes), 0);
    ck_assert_int_eq(listen(taken, 1), 0);
    getsockname(taken, (struct sockaddr *)&address, &bytes);
    snprintf(text, sizeof(text), "127.0.0.1:%d", ntohs(address.sin_port));
    atomic_store(&noting, true);
    execute(work, (const char *[]){"prom", text, NULL});
    atomic_store(&noting, false);
    close(taken);
    ck_assert_int_eq(code, EXIT_FAILED);
    ck_assert_ptr_nonnull(strstr(printed, "cannot listen there"));
    ck_assert_uint_eq(atomic_load(&strangers), 0);
}
END_TEST

RUN_SUITE_WITH("run", 60, begin_test, end_test, a_run_ends_after_its_events,
               a_run_ends_after_its_arrivals, a_run_ends_after_its_time,
               a_thread_that_cannot_start_fails_the_run, a_failing_workload_ends_the_run,
               a_script_may_end_the_run, a_signal_ends_the_run, a_full_queue_ends_the_run,
               stuck_workers_are_given_up, stuck_workers_may_continue_after_a_closed_loop,
               stuck_workers_may_continue_after_a_run_at_a_rate,
               threads_may_start_after_a_failed_run, detached_requests_are_censored,
               an_output_that_cannot_be_opened_fails_the_run)
