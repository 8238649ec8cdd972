/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server and a client that stop for a while. In both cases requests that arrive during the stall
 * must be reported as waiting until its end, and the schedule must not change.
 */
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/sort.h"
#include "tools/selftest/queueing.h"
#include "tools/selftest/selftest_internal.h"

#define RATE 2000
#define THREADS 8
/*
 * Length of the run after the start of the stall, length of the stall, and time from the start of
 * the process to the stall, in seconds.
 */
#define SECONDS 5
#define STALL_SECONDS 1.5
#define STALL_AFTER 1.5

/*
 * Tolerated number of standard deviations by chance. Given the number of stalled requests, the
 * errors are exact and nearly normal: they exceed this with a probability of 1 in 1.7 million.
 */
#define SIGMAS 5

/* Half of the stalled requests must be answered within this part of the stall's length after its
 * end. */
#define BACKLOG 0.02

struct window {
    int64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
};

/* Workers that start an event within the window sleep until its end. */
static const char freezing_script[] =
    "local ffi = require('ffi')\n"
    "ffi.cdef[[typedef struct {int64_t s, ns;} selftest_time;\n"
    "int clock_gettime(int, selftest_time *);\n"
    "int clock_nanosleep(int, int, const selftest_time *, selftest_time *);]]\n"
    "local C, now = ffi.C, ffi.new('selftest_time')\n"
    "local from, to = %lldLL, %lldLL\n"
    "local wake = ffi.new('selftest_time', to / 1000000000, to %% 1000000000)\n"
    "function event()\n"
    "  C.clock_gettime(1, now)\n"
    "  local ns = now.s * 1000000000 + now.ns\n"
    "  if ns >= from and ns < to then\n"
    "    while C.clock_nanosleep(1, 1, wake, nil) ~= 0 do end\n"
    "  end\n"
    "end\n";

/* The effect of the stall on the requests of a run. */
struct stalled {
    struct freeze_model model;
    int64_t *ideal_ns; /* response times of all requests if nothing else takes time, sorted */
    double ideal_sum_ns;
    /* Time from the end of the stall to the answer of each stalled request, sorted. */
    int64_t *late_ns;
    size_t count;
};

static void sort_out(struct stalled *s, const struct evidence *e, const struct window *w)
{
    int64_t from_ns = w->from_ns - e->started_ns, to_ns = w->to_ns - e->started_ns;
    *s = (struct stalled){.ideal_ns = xcalloc(e->count, sizeof(int64_t)),
                          .late_ns = xcalloc(e->count, sizeof(int64_t))};
    for (size_t i = 0; i < e->count; i++) {
        const struct logged_request *r = &e->request[i];
        if (r->arrival_ns < from_ns || r->arrival_ns >= to_ns)
            continue;
        s->ideal_ns[i] = to_ns - r->arrival_ns;
        s->ideal_sum_ns += (double)s->ideal_ns[i];
        s->late_ns[s->count++] = r->end_ns - to_ns;
    }
    sort_i64(s->ideal_ns, e->count);
    sort_i64(s->late_ns, s->count);
    s->model =
        (struct freeze_model){ns_to_seconds(to_ns - from_ns), (double)s->count, (double)e->count};
}

static unsigned answered_early(const struct stalled *s)
{
    unsigned early = 0;
    while (early < s->count && s->late_ns[early] < 0)
        early++;
    return early;
}

static void check_stall(struct selftest *t, const struct stalled *s, const struct evidence *e)
{
    const struct freeze_model *m = &s->model;
    double late_ms = ns_to_ms(nearest_rank(s->late_ns, s->count, 50 * PERCENT));
    double limit_ms = BACKLOG * 1e3 * m->freeze_s + 5 * ns_to_ms(e->late_max_ns);
    selftest_check(t, "answered within the stall", 0, answered_early(s), 0, 0);
    selftest_check(t, "answered after its end, median", 0, late_ms, 0, limit_ms);

    struct figure mean = {"mean", 1e3 * freeze_mean_response(m),
                          s->ideal_sum_ns / m->requests / NS_PER_MS,
                          evidence_response_ms(e, "mean")};
    double error_ms = SIGMAS * 1e3 * freeze_mean_error(m);
    selftest_check_figure(t, &mean, error_ms, error_ms);
    struct figure p99 = {"p99", 1e3 * freeze_response_quantile(m, 0.99),
                         ns_to_ms(nearest_rank(s->ideal_ns, e->count, 99 * PERCENT)),
                         evidence_response_ms(e, "p99")};
    error_ms = SIGMAS * 1e3 * freeze_quantile_error(m, 0.99);
    selftest_check_figure(t, &p99, error_ms, error_ms);
}

static void check_run(const struct trial *trial, const struct evidence *e, const struct window *w)
{
    struct stalled s;
    check_evidence(trial, e);
    sort_out(&s, e, w);
    if (s.count > 0)
        check_stall(trial->test, &s, e);
    else
        selftest_check(trial->test, "requests that arrive in the stall",
                       RATE * STALL_SECONDS * trial->test->scale, 0, 0, 0);
    free(s.ideal_ns);
    free(s.late_ns);
}

/* Starts a run; records a failed check if that is impossible. */
static int start(struct trial *trial, struct selftest *t, const char *name, const char *script)
{
    *trial = (struct trial){.test = t,
                            .rate = RATE,
                            .seconds = STALL_AFTER + SECONDS * t->scale,
                            .threads = THREADS,
                            .script = script};
    t->name = name;
    if (trial_start(trial) == 0)
        return 0;
    selftest_check(t, "the run can be started", 1, 0, 0, 0);
    return -1;
}

static struct window next_window(const struct selftest *t)
{
    int64_t from_ns = clock_now_ns() + seconds_to_ns(STALL_AFTER);
    return (struct window){from_ns, from_ns + seconds_to_ns(STALL_SECONDS * t->scale)};
}

static void stall_server(struct selftest *t, struct evidence *e)
{
    struct window w = next_window(t);
    struct trial trial;
    char script[sizeof(freezing_script) + 64];
    snprintf(script, sizeof(script), freezing_script, (long long)w.from_ns, (long long)w.to_ns);
    if (start(&trial, t, "server stall", script) == 0 && trial_finish(&trial, e) == 0)
        check_run(&trial, e, &w);
    trial_fini(&trial);
}

/* The window is reduced to the time in which the client was certainly stopped. */
static void freeze(struct child *child, struct window *w)
{
    if (child_wait(child, w->from_ns) || child_freeze(child) != 0)
        return;
    w->from_ns = clock_now_ns();
    child_wait(child, w->to_ns);
    w->to_ns = clock_now_ns();
    child_signal(child, SIGCONT);
}

static void stall_client(struct selftest *t, struct evidence *e)
{
    struct window w = next_window(t);
    struct trial trial;
    if (start(&trial, t, "client stall", "function event() end\n") == 0) {
        freeze(trial.child, &w);
        if (trial_finish(&trial, e) == 0)
            check_run(&trial, e, &w);
    }
    trial_fini(&trial);
}

/* Seed and rate are those of the other run, so the arrivals must be the same, too. */
static void compare_schedules(struct selftest *t, const struct evidence *a,
                              const struct evidence *b)
{
    size_t same = 0;
    while (same < a->count && same < b->count &&
           a->request[same].arrival_ns == b->request[same].arrival_ns)
        same++;
    selftest_check(t, "arrivals as in the server stall", (double)a->count, (double)same, 0, 0);
}

void selftest_stalls(struct selftest *t)
{
    struct evidence server = {0}, client = {0};
    stall_server(t, &server);
    stall_client(t, &client);
    compare_schedules(t, &server, &client);
    evidence_fini(&server);
    evidence_fini(&client);
}
