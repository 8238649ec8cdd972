/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that must hold for any run, on any machine, even a busy one. */
#include <math.h>

#include "base/rand_stream.h"
#include "base/sort.h"
#include "tools/selftest/selftest_internal.h"

/* The schedule is computed with doubles and rounded to nanoseconds at the end. */
#define ROUNDING_NS 1

static double count_of(const struct evidence *e, const char *name)
{
    json_t *requests = json_object_get(json_object_get(e->report, "summary"), "requests");
    return json_number_value(json_object_get(requests, name));
}

static void check_conservation(const struct trial *trial, const struct evidence *e)
{
    double known = count_of(e, "completed") + count_of(e, "failed") + count_of(e, "dropped") +
                   count_of(e, "unfinished");
    selftest_check(trial->test, "requests accounted for", count_of(e, "offered"), known, 0, 0);
    if (count_of(e, "completed") != (double)e->count)
        selftest_check(trial->test, "requests in the log", count_of(e, "completed"),
                       (double)e->count, 0, 0);
}

/*
 * The worker of each arrival is drawn from a stream of its own; worker w belongs to rank w mod
 * `ranks`.
 */
static bool is_own(const struct trial *trial, struct rand_stream *owners)
{
    return trial->ranks == 0 ||
           rand_stream_below(owners, trial->threads) % trial->ranks == trial->rank;
}

/*
 * Computes the Poisson process again from its seed: exponential gaps with mean 1, divided by the
 * rate. Delays of the client or the server must not change the schedule. The queue is worked off
 * after the end, so the log has all arrivals.
 */
static void check_schedule(const struct trial *trial, const struct evidence *e)
{
    struct rand_stream stream, owners;
    double sum = 0;
    size_t scheduled = 0, right = 0;
    rand_stream_init(&stream, (uint64_t)trial->test->seed, RAND_ARRIVAL, 0);
    rand_stream_init(&owners, (uint64_t)trial->test->seed, RAND_OWNER, 0);
    while ((sum += rand_stream_exponential(&stream)) / trial->rate < trial->seconds) {
        double at_ns = sum / trial->rate * 1e9;
        if (!is_own(trial, &owners))
            continue;
        right += scheduled < e->count &&
                 fabs((double)e->request[scheduled].arrival_ns - at_ns) <= ROUNDING_NS;
        scheduled++;
    }
    selftest_check(trial->test, "arrivals as drawn from the seed", (double)scheduled, (double)right,
                   0, 0);
    if (e->count != scheduled)
        selftest_check(trial->test, "arrivals in all", (double)scheduled, (double)e->count, 0, 0);
}

/*
 * Each worker takes requests in the order of arrival, never before they arrive, and never while it
 * serves another request.
 */
static void check_order(const struct trial *trial, const struct evidence *e)
{
    const struct logged_request **last = xcalloc(trial->threads, sizeof(*last));
    unsigned wrong = 0;
    for (size_t i = 0; i < e->count; i++) {
        const struct logged_request *r = &e->request[i], *before = last[r->thread];
        wrong += r->start_ns < r->arrival_ns || r->end_ns < r->start_ns;
        wrong += before != NULL && (r->start_ns < before->end_ns || r->turn != before->turn + 1);
        last[r->thread] = r;
    }
    selftest_check(trial->test, "requests too early or out of turn", 0, wrong, 0, 0);
    free(last);
}

/* Compares the histogram with the logged values: the mean is exact, percentiles are within 0.1
 * %. */
static void check_figures(const struct trial *trial, const struct evidence *e)
{
    static const struct {
        const char *name;
        int64_t percentile;
    } row[] = {{"p1", PERCENT},        {"p10", 10 * PERCENT}, {"p25", 25 * PERCENT},
               {"p50", 50 * PERCENT},  {"p75", 75 * PERCENT}, {"p90", 90 * PERCENT},
               {"p95", 95 * PERCENT},  {"p99", 99 * PERCENT}, {"p99.9", 99900000},
               {"p100", 100 * PERCENT}};
    int64_t *response_ns = xcalloc(e->count, sizeof(*response_ns));
    double sum_ns = 0, worst = 0;
    for (size_t i = 0; i < e->count; i++)
        sum_ns += (double)(response_ns[i] = e->request[i].end_ns - e->request[i].arrival_ns);
    sort_i64(response_ns, e->count);
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        double exact_ms = ns_to_ms(nearest_rank(response_ns, e->count, row[i].percentile));
        worst = fmax(worst, fabs(evidence_response_ms(e, row[i].name) / exact_ms - 1));
    }
    double mean_ms = sum_ns / (double)e->count / NS_PER_MS;
    selftest_check(trial->test, "worst error of a percentile, %", 0, 100 * worst, 0, 0.1);
    selftest_check(trial->test, "mean of the requests logged", mean_ms,
                   evidence_response_ms(e, "mean"), 1e-9 * mean_ms, 1e-9 * mean_ms);
    free(response_ns);
}

void check_evidence(const struct trial *trial, const struct evidence *e)
{
    check_conservation(trial, e);
    check_schedule(trial, e);
    check_order(trial, e);
    check_figures(trial, e);
}
