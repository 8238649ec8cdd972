/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/util.h"
#include "options/percentiles.h"
#include "result/stall.h"

/* The generator lag may be LAG_SHARE of the response time at the same percentile, or LAG_FLOOR_NS
 * if that is more. */
#define LAG_SHARE 0.1
#define LAG_FLOOR_NS (250 * NS_PER_US)
#define CLIENT_CPU_LIMIT 0.8
#define STEAL_LIMIT 0.05
/* Shortest closed loop whose CPU shares are judged: closed loops are often short. Linux counts in
 * ticks of 10 ms, so 5 % of a second are 5 ticks of each processor. */
#define SHARES_SPAN_NS NS_PER_SEC

/* A result is doubtful if its arrivals are further from the arrival process asked for. */
#define KS_LIMIT 0.1
#define DEVIATION_LIMIT 0.25

/* OVERLOADED: the backlog at the end in relation to all requests, and to its own mean. */
#define BACKLOG_SHARE 0.01
#define BACKLOG_GROWTH 1.5

/* NON-STATIONARY: the measured part is divided into batches of equal length. */
#define BATCHES 20
#define BATCH_MIN 10 /* fewest completed requests per batch, on average */
#define DRIFT_SIGMAS 4.5
#define DRIFT_RATIO 1.25
#define SLOWDOWN_RATIO 10
#define SLOWDOWN_FLOOR_NS NS_PER_MS

__attribute__((format(printf, 4, 5))) static void
add_finding(struct verdict *v, const char *name, const char *advice, const char *fmt, ...)
{
    struct finding *f = &v->finding[v->count++];
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->figure, sizeof(f->figure), fmt, args);
    va_end(args);
    f->name = name;
    f->advice = advice;
}

/* Adds a finding if an error or a forced end cut the run short: this says nothing about how the
 * server would have behaved later. */
static void judge_end(struct verdict *v, const struct evidence *e)
{
    static const char name[] = "CUT-SHORT";
    const struct settings *settings = e->settings;
    char planned[40] = "";
    if (settings->time_ns > 0)
        snprintf(planned, sizeof(planned), " of %.1f",
                 ns_to_seconds(settings->warmup_ns + settings->time_ns));
    if (e->cut == CUT_ERROR)
        add_finding(v, name,
                    "The figures end at the error and include what led to it: look at the error "
                    "message and repeat the run.",
                    "an error ended the run after %.1f%s s", ns_to_seconds(e->arrivals_end_ns),
                    planned);
    else if (e->cut == CUT_FORCED)
        add_finding(v, name,
                    "The response times of these requests are not known: find out what they wait "
                    "for, or give them more time with --forced-shutdown.",
                    "the end of the run was forced, with %" PRIu64
                    " requests in service in workers that were stuck",
                    e->summary->requests.in_service);
}

static const struct distribution *response_of(const struct evidence *e)
{
    return &e->summary->snapshot.metric[METRIC_RESPONSE];
}

/* Returns the first percentile asked for at which the generator lag is too large, or −1. */
static int64_t spoiled_percentile(const struct evidence *e)
{
    static const int64_t usual[] = {95 * PERCENT};
    bool asked = e->settings->percentiles > 0;
    const int64_t *percentile = asked ? e->settings->percentile : usual;
    for (unsigned i = 0; i < (asked ? e->settings->percentiles : ARRAY_SIZE(usual)); i++) {
        int64_t lag_ns = distribution_percentile(&e->summary->snapshot.lag, percentile[i]).ns;
        int64_t response_ns = distribution_percentile(response_of(e), percentile[i]).ns;
        if (lag_ns > LAG_FLOOR_NS && (double)lag_ns > LAG_SHARE * (double)response_ns)
            return percentile[i];
    }
    return -1;
}

static const char client_limited[] = "CLIENT-LIMITED";

static void judge_steal(struct verdict *v, const struct evidence *e, const char *advice)
{
    if (e->steal > STEAL_LIMIT)
        add_finding(v, client_limited, advice,
                    "%.0f %% of the CPU time was taken away by the hypervisor", 100 * e->steal);
}

static void judge_client(struct verdict *v, const struct evidence *e)
{
    static const char advice[] =
        "The client itself was late or stood still: give it idle processors (or a machine of "
        "its own) and repeat the run.";
    int64_t percentile = spoiled_percentile(e);
    char text[24];
    if (percentile >= 0)
        add_finding(v, client_limited, advice,
                    "at %s the generator was late by %.2f ms, of a response time of %.2f ms",
                    percentile_label(percentile, text, sizeof(text)),
                    ns_to_ms(distribution_percentile(&e->summary->snapshot.lag, percentile).ns),
                    ns_to_ms(distribution_percentile(response_of(e), percentile).ns));
    else if (e->client_cpu > CLIENT_CPU_LIMIT)
        add_finding(v, client_limited, advice, "the client used %.0f %% of all processors",
                    100 * e->client_cpu);
    else
        judge_steal(v, e, advice);
}

/* The time of a worker is spent by the server or by the client itself. Shares of a short run are
 * only a few ticks, so they are not judged. */
static void judge_closed_client(struct verdict *v, const struct evidence *e)
{
    static const char advice[] = "Part of each response time is the client's own work: give it "
                                 "idle processors (or a machine of its own) and repeat the run.";
    if (e->arrivals_end_ns < SHARES_SPAN_NS)
        return;
    if (e->worker_cpu > CLIENT_CPU_LIMIT)
        add_finding(v, client_limited, advice,
                    "the client itself used %.0f %% of its workers' time", 100 * e->worker_cpu);
    else
        judge_steal(v, e, advice);
}

static const char *how_to_be_on_time(enum arrival_wait wait)
{
    if (wait == ARRIVAL_WAIT_SLEEP)
        return "Arrivals came in bursts because workers woke too late: use "
               "--arrival-wait=auto, or spin on an idle processor, or a lower rate.";
    return wait == ARRIVAL_WAIT_AUTO
               ? "Arrivals came in bursts because workers were woken too late: give the client "
                 "idle processors, or lower the rate."
               : "Arrivals came in bursts although the generator spins: give it a processor that "
                 "nothing else uses, or lower the rate.";
}

static void judge_arrivals(struct verdict *v, const struct evidence *e)
{
    bool poisson = e->settings->arrivals.kind == ARRIVAL_POISSON;
    /* Kolmogorov's limit distribution: P(D > x/√n) ≈ 2·exp(−2x²), which is 0.001 at x = 1.95. */
    v->ks_critical = poisson && e->gaps > 0 ? 1.95 / sqrt((double)e->gaps) : 0;
    double limit = poisson ? KS_LIMIT + v->ks_critical : DEVIATION_LIMIT;
    if (e->goodness > limit)
        add_finding(v, "ARRIVALS-OFF", how_to_be_on_time(e->settings->arrivals.wait),
                    poisson ? "the gaps are %.3f away from exponential (Kolmogorov-Smirnov; up to "
                              "%.3f is tolerated)"
                            : "the gaps deviate by %.3f of the mean gap (up to %.3f is tolerated)",
                    e->goodness, limit);
}

/* Requests that were unfinished for lack of service, and the time by which they had accumulated. */
struct backlog {
    uint64_t requests;
    int64_t until_ns;
};

/* Requests that a stall kept from being finished do not count, if it lasted until the end. `stall`
 * may be NULL. */
static struct backlog backlog_of(const struct evidence *e, const struct stall *stall)
{
    const struct requests *r = &e->summary->requests;
    const uint64_t unfinished = r->queued + r->in_service;
    if (stall == NULL || stall->waiting == 0 || stall->to_ns < e->arrivals_end_ns)
        return (struct backlog){unfinished, e->arrivals_end_ns};
    const int64_t before = min_i64((int64_t)unfinished, max_i64(0, stall->before));
    return (struct backlog){(uint64_t)before, stall->from_ns};
}

static void judge_load(struct verdict *v, const struct evidence *e, const struct stall *stall)
{
    static const char name[] = "OVERLOADED";
    static const char advice[] =
        "More arrived than was served, so response times depend on the length of the "
        "run: lower the rate, or raise the number of workers if the server has room.";
    const struct requests *r = &e->summary->requests;
    const struct backlog backlog = backlog_of(e, stall);
    /* If requests are left after --drain, no further proof is needed. */
    double mean = audit_mean_in_system(e->audit, 0, backlog.until_ns);
    bool growing = e->settings->drain_ns > 0 || (double)backlog.requests > BACKLOG_GROWTH * mean;
    if (r->dropped > 0)
        add_finding(v, name, advice, "%" PRIu64 " of %" PRIu64 " requests found the queue full",
                    r->dropped, r->offered);
    else if ((double)backlog.requests > BACKLOG_SHARE * (double)r->offered &&
             backlog.requests > (uint64_t)e->settings->threads && growing)
        add_finding(v, name, advice,
                    "%" PRIu64 " of %" PRIu64
                    " requests were unfinished, and the backlog was growing",
                    backlog.requests, r->offered);
}

/* The windows of the measured part, combined to batches of equal length. */
struct batches {
    struct audit_window batch[BATCHES];
    double mean_ns[BATCHES]; /* mean response time; 0 if no request completed */
    unsigned filled;         /* number of batches with a mean */
};

static void make_batches(struct batches *b, const struct evidence *e)
{
    int64_t from_ns = e->summary->snapshot.from_ns;
    int64_t length_ns = max_i64(1, (e->summary->snapshot.to_ns - from_ns) / BATCHES);
    *b = (struct batches){0};
    for (size_t i = 0; i < e->audit->count; i++) {
        const struct audit_window *w = &e->audit->windows[i];
        int64_t middle_ns = w->from_ns + (w->to_ns - w->from_ns) / 2;
        if (middle_ns < from_ns)
            continue;
        struct audit_window *batch =
            &b->batch[min_i64(BATCHES - 1, (middle_ns - from_ns) / length_ns)];
        if (batch->to_ns == 0)
            batch->from_ns = w->from_ns;
        batch->to_ns = w->to_ns;
        batch->completed += w->completed;
        batch->response_sum_ns += w->response_sum_ns;
        batch->response_max_ns = max_i64(batch->response_max_ns, w->response_max_ns);
    }
    for (unsigned i = 0; i < BATCHES; i++)
        if (b->batch[i].completed > 0) {
            b->mean_ns[i] = b->batch[i].response_sum_ns / (double)b->batch[i].completed;
            b->filled++;
        }
}

/* Returns the median of the batches with completed requests. There must be at least one. */
static double median_of(const struct batches *b)
{
    double sorted[BATCHES];
    unsigned n = 0;
    for (unsigned i = 0; i < BATCHES; i++)
        if (b->batch[i].completed > 0)
            sorted[n++] = b->mean_ns[i];
    sort_doubles(sorted, n);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* Returns the mean of the batches `first` to `last` − 1, and the variance of this mean. */
static double half(const struct batches *b, unsigned first, unsigned last, double *variance)
{
    double sum = 0, squares = 0, n = last - first;
    for (unsigned i = first; i < last; i++)
        sum += b->mean_ns[i];
    for (unsigned i = first; i < last; i++)
        squares += (b->mean_ns[i] - sum / n) * (b->mean_ns[i] - sum / n);
    *variance = squares / (n - 1) / n;
    return sum / n;
}

/* Words of the findings, for runs at a rate and for closed loops. The client's own lateness is that
 * of the generator or, in a closed loop, that of the thread that controls the run. */
struct words {
    const char *waits, *late, *lateness;
    /* Advice if the client was late by as much, by less, or not at all. */
    const char *same, *less, *none;
};

static const struct words *words(const struct evidence *e)
{
    static const struct words at_a_rate = {
        "request",
        "the generator",
        "the largest generator lag",
        "The generator was late by as much, so it was the client that stood still: look for what "
        "stopped it and repeat the run.",
        "The generator was late as well, though by less: give the client idle processors and "
        "repeat the run before looking at the server.",
        "The generator was on time then, so it was not the client: look at what the server did at "
        "that moment."};
    static const struct words closed = {
        "worker",
        "the client itself",
        "the client's own lateness",
        "The client itself was late by as much, so it was the client that stood still: look for "
        "what stopped it and repeat the run.",
        "The client itself was late as well, though by less: give it idle processors and repeat "
        "the run before looking at the server.",
        "It was not the client, which was on time then: look at what the server did at that "
        "moment."};
    return e->settings->rate > 0 ? &at_a_rate : &closed;
}

/*
 * Returns the advice that says whether the client caused a stall. Up to LAG_SHARE of the stall, a
 * lag does not matter. A lag of half of the stall explains all of it, because the backlog explains
 * the rest.
 */
static const char *whose_stall(const struct evidence *e, int64_t lag_ns, int64_t stall_ns)
{
    if (lag_ns > stall_ns / 2)
        return words(e)->same;
    return (double)lag_ns > LAG_SHARE * (double)stall_ns ? words(e)->less : words(e)->none;
}

/* A time of the run in seconds, as text. */
struct moment {
    char text[24];
};

static struct moment moment(int64_t ns)
{
    struct moment m;
    snprintf(m.text, sizeof(m.text), "%.*f", ns < 10 * NS_PER_SEC ? 2 : 1, ns_to_seconds(ns));
    return m;
}

/* Adds a finding for a stall. */
static void add_stall(struct verdict *v, const struct evidence *e, const struct stall *stall)
{
    const char *advice = whose_stall(e, stall->lag_ns, stall->longest_ns);
    if (stall->waiting > 0)
        add_finding(v, "NON-STATIONARY", advice,
                    "from %s to %s s at least nothing was completed while %" PRId64
                    " %s%s waited; the longest took %.2f ms, %s was %.2f ms",
                    moment(stall->from_ns).text, moment(stall->to_ns).text, stall->waiting,
                    words(e)->waits, stall->waiting > 1 ? "s" : "", ns_to_ms(stall->longest_ns),
                    words(e)->lateness, ns_to_ms(stall->lag_ns));
    else
        add_finding(v, "NON-STATIONARY", advice,
                    "between %s and %s s %s was late by up to %.2f ms; the longest response time "
                    "was %.2f ms",
                    moment(stall->from_ns).text, moment(stall->to_ns).text, words(e)->late,
                    ns_to_ms(stall->lag_ns), ns_to_ms(stall->longest_ns));
}

/* Adds a finding if one batch was far slower than the others. Returns true if so. */
static bool judge_slowdown(struct verdict *v, const struct evidence *e, const struct batches *b)
{
    unsigned worst = 0;
    for (unsigned i = 1; i < BATCHES; i++)
        if (b->mean_ns[i] > b->mean_ns[worst])
            worst = i;
    double median_ns = median_of(b);
    if (b->mean_ns[worst] < SLOWDOWN_RATIO * median_ns ||
        b->mean_ns[worst] - median_ns < SLOWDOWN_FLOOR_NS)
        return false;
    const struct audit_window *w = &b->batch[worst];
    /* Requests that completed in the batch may have arrived before it. */
    int64_t lag_ns = stall_lag_ns(e->audit, w->from_ns - w->response_max_ns, w->to_ns);
    add_finding(
        v, "NON-STATIONARY", whose_stall(e, lag_ns, w->response_max_ns),
        "from %s to %s s response times rose to %.2f ms in the mean (%.2f ms otherwise); the "
        "longest was %.2f ms, %s %.2f ms",
        moment(w->from_ns).text, moment(w->to_ns).text, b->mean_ns[worst] / 1e6, median_ns / 1e6,
        ns_to_ms(w->response_max_ns), words(e)->lateness, ns_to_ms(lag_ns));
    return true;
}

static void judge_drift(struct verdict *v, const struct batches *b)
{
    double variance_before, variance_after;
    double before = half(b, 0, BATCHES / 2, &variance_before);
    double after = half(b, BATCHES / 2, BATCHES, &variance_after);
    double sigmas = fabs(after - before) / fmax(sqrt(variance_before + variance_after), 1);
    if (sigmas > DRIFT_SIGMAS && fmax(before, after) > DRIFT_RATIO * fmin(before, after))
        add_finding(
            v, "NON-STATIONARY",
            "Response times drifted, so the figures mix different states: warm up longer "
            "(--warmup-time), or let the run last until they settle.",
            "the mean response time was %.2f ms in the first half and %.2f ms in the second",
            before / 1e6, after / 1e6);
}

static void judge_stationarity(struct verdict *v, const struct evidence *e)
{
    struct batches batches;
    make_batches(&batches, e);
    /*
     * A stall leaves batches without completed requests, but the test for drift needs all batches.
     */
    if (response_of(e)->count < BATCHES * BATCH_MIN || batches.filled == 0)
        return;
    if (!judge_slowdown(v, e, &batches) && !e->settings->rate_changes && batches.filled == BATCHES)
        judge_drift(v, &batches);
}

static void judge_nothing(struct verdict *v, const struct evidence *e)
{
    static const char name[] = "NOTHING-MEASURED";
    if (e->settings->rate > 0)
        add_finding(
            v, name,
            "Let the run last longer than its warm-up and than the time between two arrivals.",
            "no request arrived in the measured part of the run");
    else
        add_finding(v, name, "Let the run last longer than its warm-up.",
                    "no event was started in the measured part of the run");
}

static void judge_times(struct verdict *v, const struct evidence *e)
{
    struct stall stall;
    const struct stall_search search = {
        .audit = e->audit,
        .measured = &e->summary->snapshot,
        .arrivals_end_ns = e->arrivals_end_ns,
        .workers = e->settings->rate > 0 ? 0 : (unsigned)e->settings->threads};
    const bool stalled = stall_find(&stall, &search);
    unsigned before = v->count;
    if (e->settings->rate > 0)
        judge_load(v, e, stalled ? &stall : NULL);
    bool overloaded = v->count > before;
    /* A growing backlog is a drift by itself, so drift is judged only without it. A stall is
     * reported in any case. */
    if (stalled)
        add_stall(v, e, &stall);
    else if (!overloaded)
        judge_stationarity(v, e);
}

struct verdict verdict_of(const struct evidence *e)
{
    struct verdict v = {0};
    judge_end(&v, e);
    if (e->summary->requests.offered == 0) {
        judge_nothing(&v, e);
        return v;
    }
    if (e->settings->rate > 0) {
        judge_client(&v, e);
        judge_arrivals(&v, e);
    } else {
        judge_closed_client(&v, e);
    }
    judge_times(&v, e);
    return v;
}
