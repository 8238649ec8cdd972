/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../capture.h"
#include "../suite.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "sessions.h"

static struct settings settings;
static const struct workload sessions = {.ops = &session_ops};
static struct inject *inject;
static int64_t start_ns;
static bool left; /* inject_finish() has left an injection alone */

static void before(void)
{
    log_set_verbosity(LOG_WARNING);
    settings = (struct settings){.threads = 1, .percentiles = 1, .percentile = {50 * PERCENT}};
    ck_assert_int_eq(interrupt_init(), 0);
}

/* If an injection was left alone, its threads still use these objects. */
static void after(void)
{
    if (left) {
        interrupt_leave();
        return;
    }
    inject_destroy(inject);
    inject_plan_fini(&settings.inject);
    interrupt_fini();
}

static void plan(char *const *texts)
{
    inject_plan_load(&settings.inject, texts);
}

/* Begins the run. */
static void begin(char *const *texts)
{
    plan(texts);
    ck_assert_int_eq(inject_create(&inject, &settings, sessions, interrupt_notify), 0);
    start_ns = clock_now_ns();
    inject_begin(inject, start_ns, start_ns);
}

/* Continues the run until all planned injections have begun, and then for `ns`. */
static void continue_run(int64_t ns)
{
    while (inject_next_ns(inject) != INT64_MAX) {
        interrupt_wait(inject_next_ns(inject));
        inject_step(inject, clock_now_ns());
    }
    int64_t until_ns = clock_now_ns() + ns;
    while (clock_now_ns() < until_ns) {
        interrupt_wait(until_ns);
        inject_step(inject, clock_now_ns());
    }
}

/*
 * Continues the run until all `count` injections have ended. Each injection cuts the spans twice.
 */
static void continue_until_ended(unsigned count)
{
    continue_run(0);
    while (spans_count(inject_spans(inject)) < 1 + 2 * count)
        continue_run(NS_PER_MS);
}

static void continue_until_executing(void)
{
    continue_run(0);
    while (!atomic_load(&executing))
        continue_run(NS_PER_MS);
}

/* Ends the run. Returns the results of all injections. */
static const struct injection *end(bool finished)
{
    unsigned count;
    inject_stop(inject);
    left = !inject_finish(inject);
    ck_assert_int_eq(left, !finished);
    const struct injection *results = inject_results(inject, clock_now_ns(), &count);
    ck_assert_uint_eq(count, settings.inject.count);
    return results;
}

START_TEST(without_injections_all_functions_accept_null)
{
    unsigned count;
    ck_assert_int_eq(inject_create(&inject, &settings, sessions, interrupt_notify), 0);
    ck_assert_ptr_null(inject);
    inject_listen(inject, NULL);
    inject_begin(inject, 0, 0);
    ck_assert_ptr_null(inject_spans(inject));
    ck_assert_int_eq(inject_next_ns(inject), INT64_MAX);
    inject_step(inject, 0);
    inject_stop(inject);
    ck_assert(inject_finish(inject));
    ck_assert_ptr_null(inject_results(inject, 0, &count));
    ck_assert_uint_eq(count, 0);
}
END_TEST

/* Checks that inject_create() returns −1 and logs a message that names the option. */
static void assert_refused(struct workload workload)
{
    struct capture capture;
    capture_start(&capture, false);
    int rc = inject_create(&inject, &settings, workload, interrupt_notify);
    char *text = capture_end(&capture);
    ck_assert_int_eq(rc, -1);
    ck_assert_ptr_null(inject);
    ck_assert_msg(strncmp(text, "FATAL: ", strlen("FATAL: ")) == 0 &&
                      strstr(text, "--inject: ") != NULL,
                  "the message is: '%s'", text);
    free(text);
}

START_TEST(a_statement_needs_a_workload_with_sessions)
{
    plan((char *[]){"0: sh: true", "1: sql: SELECT 1", NULL});
    static const struct workload_ops without_sessions;
    assert_refused((struct workload){.ops = &without_sessions});
}
END_TEST

START_TEST(a_statement_must_be_allowed_for_sessions)
{
    plan((char *[]){"1: sql: SELECT 1", "2: sql: nonsense", NULL});
    assert_refused(sessions);
}
END_TEST

/* Checked also without a free file descriptor. */
START_TEST(an_injection_that_cannot_start_is_reported)
{
    struct capture capture;
    struct rlimit before, none;
    plan((char *[]){"0: sh: true", NULL});
    capture_start(&capture, false);
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = (rlim_t)dup(STDIN_FILENO);
    close((int)none.rlim_cur);
    setrlimit(RLIMIT_NOFILE, &none);
    int rc = inject_create(&inject, &settings, sessions, interrupt_notify);
    setrlimit(RLIMIT_NOFILE, &before);
    char *text = capture_end(&capture);
    ck_assert_int_eq(rc, -1);
    char expected[128];
    snprintf(expected, sizeof(expected), "FATAL: --inject: cannot create an event descriptor: %s\n",
             strerror(EMFILE));
    ck_assert_str_eq(text, expected);
    free(text);
}
END_TEST

START_TEST(each_injection_begins_when_it_is_due)
{
    begin((char *[]){"200ms: exec: true", "0: sql: SELECT 1", NULL});
    ck_assert_int_eq(inject_next_ns(inject), start_ns);
    inject_step(inject, start_ns);
    ck_assert_int_eq(inject_next_ns(inject), start_ns + NS_PER_SEC / 5);
    inject_step(inject, start_ns + NS_PER_SEC / 5 - 1);
    ck_assert_int_eq(inject_next_ns(inject), start_ns + NS_PER_SEC / 5);
    continue_run(0);
    ck_assert_int_ge(clock_now_ns(), start_ns + NS_PER_SEC / 5);
    const struct injection *results = end(true);
    ck_assert_str_eq(results[0].kind, "sql");
    ck_assert_uint_eq(results[0].number, 1);
    ck_assert_str_eq(results[1].kind, "exec");
    ck_assert_int_eq(results[1].at_ns, NS_PER_SEC / 5);
    ck_assert_int_ge(results[1].from_ns, results[1].at_ns);
}
END_TEST

START_TEST(the_effects_of_a_statement_are_kept)
{
    begin((char *[]){"0: sql: SELECT 1", NULL});
    continue_until_ended(1);
    const struct injection *result = end(true);
    ck_assert(result->state == INJECTION_DONE);
    ck_assert_str_eq(result->output, "7 rows changed");
    ck_assert_int_eq(result->exit_code, -1);
    ck_assert_ptr_null(result->error);
    ck_assert_int_eq(result->outcome.kind, INJECTION_OUTCOME_ROWS);
    ck_assert_uint_eq(result->outcome.rows_changed, 7);
}
END_TEST

START_TEST(secrets_are_masked_in_the_output)
{
    begin((char *[]){"0: sql: fail", "0: sql: fail password=abc", NULL});
    continue_until_ended(2);
    const struct injection *results = end(true);
    ck_assert(results[0].state == INJECTION_FAILED);
    ck_assert_str_eq(results[0].error, "not done: fail");
    ck_assert_str_eq(results[1].error, "not done: fail password=***");
}
END_TEST

START_TEST(running_injections_are_stopped_at_the_end)
{
    begin((char *[]){"0: sql: hang", "0: exec: sleep 600", NULL});
    continue_until_executing();
    const struct injection *results = end(true);
    ck_assert(results[0].state == INJECTION_STOPPED);
    ck_assert(results[1].state == INJECTION_STOPPED);
}
END_TEST

START_TEST(injections_that_were_not_due_did_not_run)
{
    begin((char *[]){"1h: exec: false", NULL});
    inject_step(inject, clock_now_ns());
    const struct injection *result = end(true);
    ck_assert(result->state == INJECTION_NOT_STARTED);
    ck_assert_int_eq(result->exit_code, -1);
}
END_TEST

/* The exit code is missing: 0 would mean success. */
START_TEST(an_injection_that_does_not_end_is_left_alone)
{
    begin((char *[]){"0: sql: deaf", NULL});
    continue_until_executing();
    const struct injection *result = end(false);
    ck_assert(result->state == INJECTION_LEFT);
    ck_assert_int_eq(result->exit_code, -1);
}
END_TEST

/* Ten requests arrive before the injection, twenty during it, of which five never end, and thirty
 * after it. */
START_TEST(requests_are_assigned_to_before_during_and_after)
{
    const struct injection *result;
    begin((char *[]){"50ms: sh: while ! [ -e stop.$PPID ]; do sleep 0.01; done; rm stop.$PPID",
                     NULL});
    struct spans *spans = inject_spans(inject);
    char name[64];
    snprintf(name, sizeof(name), "stop.%d", (int)getpid());
    for (int i = 0; i < 10; i++)
        spans_record(spans, 0, start_ns + i, NS_PER_MS);
    continue_run(0);
    while (spans_count(spans) < 2)
        continue_run(NS_PER_MS);
    for (int i = 0; i < 15; i++)
        spans_record(spans, 0, clock_now_ns(), 2 * NS_PER_MS);
    spans_settle(spans);
    spans_censor(spans, clock_now_ns(), 3 * NS_PER_MS, 5);
    close(open(name, O_CREAT | O_WRONLY, 0600));
    while (spans_count(spans) < 3)
        continue_run(NS_PER_MS);
    for (int i = 0; i < 30; i++)
        spans_record(spans, 0, clock_now_ns(), NS_PER_MS);
    spans_settle(spans);
    result = end(true);
    ck_assert_uint_eq(result->before.response.count, 10);
    ck_assert_uint_eq(result->during.response.count, 15);
    ck_assert_uint_eq(result->during.response.censored, 5);
    ck_assert_uint_eq(result->after.response.count, 30);
    ck_assert_int_eq(result->before.from_ns, 0);
    ck_assert_int_eq(result->before.to_ns, result->during.from_ns);
    ck_assert_int_eq(result->during.to_ns, result->after.from_ns);
}
END_TEST

RUN_SUITE_WITH("inject", 60, before, after, without_injections_all_functions_accept_null,
               a_statement_needs_a_workload_with_sessions, a_statement_must_be_allowed_for_sessions,
               an_injection_that_cannot_start_is_reported, each_injection_begins_when_it_is_due,
               the_effects_of_a_statement_are_kept, secrets_are_masked_in_the_output,
               running_injections_are_stopped_at_the_end, injections_that_were_not_due_did_not_run,
               an_injection_that_does_not_end_is_left_alone,
               requests_are_assigned_to_before_during_and_after)
