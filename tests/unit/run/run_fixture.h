/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes runs of a workload that is written in C. The workers execute `loop_body`; the options
 * are given as pairs of name and value. The outcome is in `code`, in `printed` and in `report`.
 */
#ifndef TEST_RUN_FIXTURE_H
#define TEST_RUN_FIXTURE_H

#include <jansson.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "../capture.h"
#include "../suite.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/worker.h"
#include "engine/worker_api.h"
#include "options/exit_codes.h"
#include "options/settings_load.h"
#include "options/settings_rows.h"
#include "report/workload_report.h"
#include "run/run.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

static int (*loop_body)(void);
static bool refuse_thread;     /* makes thread_start() fail */
static int64_t start_takes_ns; /* how long thread_start() takes */
static atomic_uint ended_threads;
static atomic_uint failures_explained;

static struct options *options;
static struct settings settings;
static char json_path[64];
static int code;
static bool abandoned;
static char *printed; /* output to both streams */
static json_t *report;

static inline void *start_thread(void *self, const struct workload_worker *worker)
{
    (void)worker;
    if (start_takes_ns > 0)
        clock_sleep_until_ns(clock_now_ns() + start_takes_ns);
    return refuse_thread ? NULL : self;
}

static inline int run_thread(void *thread)
{
    (void)thread;
    return loop_body();
}

static inline int end_thread(void *thread)
{
    (void)thread;
    atomic_fetch_add(&ended_threads, 1);
    return 0;
}

static inline void explain_failure(void *self)
{
    (void)self;
    atomic_fetch_add(&failures_explained, 1);
}

static const struct workload_ops ops = {
    .thread_start = start_thread, .thread_run = run_thread, .thread_end = end_thread};
static const struct workload_report workload_report = {.explain_failure = explain_failure};

static inline void begin_test(void)
{
    options = options_create();
    ck_assert_int_eq(settings_add_options(options), 0);
    log_set_verbosity(LOG_NOTICE);
    snprintf(json_path, sizeof(json_path), "test_run.%d.json", (int)getpid());
}

static inline void end_test(void)
{
    json_decref(report);
    free(printed);
    unlink(json_path);
    if (abandoned)
        return; /* stuck threads still use the objects below */
    settings_fini(&settings);
    options_destroy(options);
}

/* Executes a run of `body` with options up to NULL. */
static inline void execute(int (*body)(void), const char *const *pairs)
{
    struct capture capture;
    loop_body = body;
    ck_assert_int_eq(options_set(options, "json", json_path), 0);
    for (; *pairs != NULL; pairs += 2)
        ck_assert_int_eq(options_set(options, pairs[0], pairs[1]), 0);
    ck_assert_int_eq(settings_load(&settings, options), 0);
    struct run_setup setup = {
        .settings = &settings,
        .whole = &settings,
        .options = options,
        .version = "1",
        .test = "test",
        .command = "run",
        .workload = {.ops = &ops, .report = &workload_report, .self = &settings}};
    capture_start(&capture, 1);
    code = run_execute(&setup, &abandoned);
    printed = capture_end(&capture);
    report = json_load_file(json_path, JSON_REJECT_DUPLICATES, NULL);
}

/* Like execute(), for workers that get stuck. Memory that they use is not freed, because the
 * program would exit instead. */
static inline void execute_stuck(int (*body)(void), const char *const *pairs)
{
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
#endif
    execute(body, pairs);
#ifdef __SANITIZE_ADDRESS__
    __lsan_enable();
#endif
    ck_assert(abandoned);
}

/* Returns a value of the report by its path, such as "summary.requests.offered". */
static inline const json_t *value(const char *path)
{
    char *copy = xstrdup(path), *next = copy, *name;
    const json_t *found = report;
    while ((name = strsep(&next, ".")) != NULL)
        found = json_object_get(found, name);
    free(copy);
    ck_assert_msg(found != NULL, "the report has no %s", path);
    return found;
}

static inline long long integer(const char *path)
{
    return json_integer_value(value(path));
}

static inline const char *string(const char *path)
{
    return json_string_value(value(path));
}

/* Checks the counting identity and that no request was lost. */
static inline void assert_accounted(void)
{
    ck_assert_int_eq(integer("summary.requests.offered"),
                     integer("summary.requests.completed") + integer("summary.requests.failed") +
                         integer("summary.requests.dropped") +
                         integer("summary.requests.unfinished"));
}

#endif
