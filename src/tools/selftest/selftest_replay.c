/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the reported figures of a queue with the formula in two steps whose errors are
 * independent:
 *
 * - formula and replay (a simulation of the queue with the drawn arrivals and service times) differ
 *   only by chance;
 * - replay and run differ by the delays of the machine, which are in the request log.
 *
 * So tolerances for chance and for a busy machine are computed and need not be guessed.
 */
#include <math.h>
#include <stdio.h>

#include "base/sort.h"
#include "tools/selftest/queue_sim.h"
#include "tools/selftest/selftest_internal.h"

/* Number of simulated runs: the tail has 200 of them and is known to 7 %. */
#define SCATTER_RUNS 2000

/*
 * A wake-up normally takes microseconds. If half of all wake-ups take longer than this, the program
 * has a fault, unless other processes wake up late, too.
 */
#define WAKEUP_LIMIT_NS NS_PER_MS

/* The compared figures: the mean and these percentiles. */
static const int64_t percentile[] = {50 * PERCENT, 95 * PERCENT, 99 * PERCENT};
static const char *const percentile_name[] = {"p50", "p95", "p99"};
#define FIGURES (1 + ARRAY_SIZE(percentile))

/* Times of the requests of a run, ordered by arrival where not stated otherwise. */
struct replay {
    size_t count;
    int64_t *drawn_ns;  /* service times as drawn */
    int64_t *ideal_ns;  /* response times with these service times, sorted */
    int64_t *late_ns;   /* actual − drawn service time, sorted */
    int64_t *wakeup_ns; /* start − arrival of requests for which a worker had to wake up, sorted */
    size_t wakeups;
    double drawn_sum_ns, ideal_sum_ns;
};

static void replay_init(struct replay *r, size_t count)
{
    *r = (struct replay){.count = count};
    r->drawn_ns = xcalloc(count, sizeof(int64_t));
    r->ideal_ns = xcalloc(count, sizeof(int64_t));
    r->late_ns = xcalloc(count, sizeof(int64_t));
    r->wakeup_ns = xcalloc(count, sizeof(int64_t));
}

static void replay_fini(struct replay *r)
{
    free(r->drawn_ns);
    free(r->ideal_ns);
    free(r->late_ns);
    free(r->wakeup_ns);
}

/*
 * Draws the service times as the connections of the workers do: each worker has a connection of its
 * own and executes its requests in the order of arrival.
 */
static void draw_services(struct replay *r, const struct trial *trial,
                          const struct queue_model *model, const struct evidence *e)
{
    struct rand_stream stream[QUEUE_SIM_SERVERS];
    for (unsigned i = 0; i < trial->threads; i++)
        rand_stream_init(&stream[i], (uint64_t)trial->test->seed, RAND_SERVICE, i);
    for (size_t i = 0; i < r->count; i++) {
        double ns = model->service_s * 1e9;
        if (!model->fixed)
            ns *= rand_stream_exponential(&stream[e->request[i].thread]);
        r->drawn_ns[i] = (int64_t)(ns + 0.5);
        r->drawn_sum_ns += (double)r->drawn_ns[i];
    }
}

static void collect_delays(struct replay *r, const struct evidence *e)
{
    int64_t free_ns[QUEUE_SIM_SERVERS] = {0};
    for (size_t i = 0; i < r->count; i++) {
        const struct logged_request *q = &e->request[i];
        r->late_ns[i] = q->end_ns - q->start_ns - r->drawn_ns[i];
        /* After a stall of the generator, workers are busy with requests that arrived long
         * before. */
        if (q->arrival_ns > free_ns[q->thread])
            r->wakeup_ns[r->wakeups++] = q->start_ns - q->arrival_ns;
        free_ns[q->thread] = q->end_ns;
    }
    sort_i64(r->late_ns, r->count);
    sort_i64(r->wakeup_ns, r->wakeups);
}

static void replay(struct replay *r, unsigned servers, const struct evidence *e)
{
    struct queue_sim sim = {.servers = servers};
    for (size_t i = 0; i < r->count; i++) {
        int64_t arrival_ns = e->request[i].arrival_ns;
        r->ideal_ns[i] =
            queue_sim_serve(&sim, arrival_ns, r->drawn_ns[i]) + r->drawn_ns[i] - arrival_ns;
        r->ideal_sum_ns += (double)r->ideal_ns[i];
    }
    sort_i64(r->ideal_ns, r->count);
}

static void check_delays(struct selftest *t, const struct replay *r, const struct evidence *e)
{
    double limit_ms = ns_to_ms(WAKEUP_LIMIT_NS + 3 * e->late90_ns);
    unsigned shorter = 0;
    for (size_t i = 0; i < r->count && r->late_ns[i] < 0; i++)
        shorter++;
    selftest_check(t, "services shorter than drawn", 0, shorter, 0, 0);
    selftest_check(t, "lateness of a service, median", 0,
                   ns_to_ms(nearest_rank(r->late_ns, r->count, 50 * PERCENT)), 0, limit_ms);
    if (r->wakeups > 0)
        selftest_check(t, "wake-up of a worker, median", 0,
                       ns_to_ms(nearest_rank(r->wakeup_ns, r->wakeups, 50 * PERCENT)), 0, limit_ms);
}

static void find_figures(const struct queue_model *m, const struct replay *r,
                         const struct evidence *e, struct figure *figure)
{
    figure[0] = (struct figure){"mean", 1e3 * queue_mean_response(m),
                                r->ideal_sum_ns / (double)r->count / NS_PER_MS,
                                evidence_response_ms(e, "mean")};
    for (size_t i = 0; i < ARRAY_SIZE(percentile); i++) {
        double p = (double)percentile[i] / (100.0 * PERCENT);
        figure[1 + i] =
            (struct figure){percentile_name[i], 1e3 * queue_response_quantile(m, p),
                            ns_to_ms(nearest_rank(r->ideal_ns, r->count, percentile[i])),
                            evidence_response_ms(e, percentile_name[i])};
    }
}

static void check_figure(struct selftest *t, const struct figure *f, const struct queue_scatter *s)
{
    selftest_check_figure(t, f, f->formula * -expm1(s->low), f->formula * expm1(s->high));
}

/* The formula uses the rate and the mean service time that were drawn. */
static void check_figures(const struct trial *trial, const struct queue_model *model,
                          const struct replay *r, const struct evidence *e)
{
    struct queue_model m = *model;
    struct queue_scatter scatter[FIGURES];
    struct figure figure[FIGURES];
    struct rand_stream stream;
    m.rate = (double)r->count / trial->seconds;
    m.service_s = r->drawn_sum_ns / (double)r->count / NS_PER_SEC;
    rand_stream_init(&stream, 1, RAND_SERVICE, QUEUE_SIM_SERVERS);
    queue_scatter(&m, trial->seconds, SCATTER_RUNS, &stream, percentile, ARRAY_SIZE(percentile),
                  scatter);
    find_figures(&m, r, e, figure);
    for (size_t i = 0; i < FIGURES; i++)
        check_figure(trial->test, &figure[i], &scatter[i]);
}

void check_queue(const struct trial *trial, const struct queue_model *model,
                 const struct evidence *e)
{
    struct replay r;
    replay_init(&r, e->count);
    draw_services(&r, trial, model, e);
    collect_delays(&r, e);
    replay(&r, model->servers, e);
    check_delays(trial->test, &r, e);
    check_figures(trial, model, &r, e);
    replay_fini(&r);
}
