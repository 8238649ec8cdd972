/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/stationarity.h"

#include <inttypes.h>
#include <math.h>

#include "base/sort.h"
#include "base/util.h"

/* Share of a stall up to which the lag of the client does not matter. */
#define LAG_SHARE 0.1

/* NON-STATIONARY: the measured part is divided into batches of equal length. */
#define BATCHES 20
#define BATCH_MIN 10 /* fewest completed requests per batch, on average */
#define DRIFT_SIGMAS 4.5
#define DRIFT_RATIO 1.25
#define SLOWDOWN_RATIO 10
#define SLOWDOWN_FLOOR_NS NS_PER_MS
/* Batches next to the slowest one also count as slow if their mean is at least this multiple of
 * that of the median batch. */
#define SPELL_RATIO 2
/* A rate is higher than usual if it is at least ASKED_RATIO times that of the median batch. Batches
 * with at least PEER_RATIO times this higher rate are compared, if there are PEERS_MIN of them. */
#define ASKED_RATIO 1.25
#define PEER_RATIO 0.8
#define PEERS_MIN 3

/* The windows of the measured part, combined to batches of equal length. */
struct batches {
    struct audit_window batch[BATCHES];
    double mean_ns[BATCHES];     /* mean response time; 0 if no request completed */
    double asked_per_s[BATCHES]; /* arrival rate asked for, per second */
    unsigned filled;             /* number of batches with a mean */
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
        batch->asked += w->asked;
        batch->response_sum_ns += w->response_sum_ns;
        batch->response_max_ns = max_i64(batch->response_max_ns, w->response_max_ns);
    }
    for (unsigned i = 0; i < BATCHES; i++) {
        const struct audit_window *batch = &b->batch[i];
        if (batch->to_ns > batch->from_ns)
            b->asked_per_s[i] = batch->asked / ns_to_seconds(batch->to_ns - batch->from_ns);
        if (batch->completed == 0)
            continue;
        b->mean_ns[i] = batch->response_sum_ns / (double)batch->completed;
        b->filled++;
    }
}

static double median_of(double *value, unsigned n)
{
    sort_doubles(value, n);
    return (value[(n - 1) / 2] + value[n / 2]) / 2;
}

/* Returns the median of the batches with completed requests. There must be at least one. */
static double median_mean(const struct batches *b)
{
    double value[BATCHES];
    unsigned n = 0;
    for (unsigned i = 0; i < BATCHES; i++)
        if (b->batch[i].completed > 0)
            value[n++] = b->mean_ns[i];
    return median_of(value, n);
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
    /* Advice if the client was late by as much as the requests, by less, or not at all. */
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
        "that moment (--wait-events, --server-stats)."};
    static const struct words closed = {
        "worker",
        "the client itself",
        "the client's own lateness",
        "The client itself was late by as much, so it was the client that stood still: look for "
        "what stopped it and repeat the run.",
        "The client itself was late as well, though by less: give it idle processors and repeat "
        "the run before looking at the server.",
        "It was not the client, which was on time then: look at what the server did at that "
        "moment (--wait-events, --server-stats)."};
    return e->settings->rate > 0 ? &at_a_rate : &closed;
}

/*
 * Returns the advice that says whether the client caused a stall. A lag of at most LAG_SHARE of the
 * stall does not matter. A lag of half of the stall explains all of it, because the backlog
 * explains the rest.
 */
static const char *whose_stall(const struct evidence *e, int64_t lag_ns, int64_t stall_ns)
{
    if (lag_ns > stall_ns / 2)
        return words(e)->same;
    return (double)lag_ns > LAG_SHARE * (double)stall_ns ? words(e)->less : words(e)->none;
}

/* Stores the first outages of all hosts together that began after the warm-up. Returns their
 * number, which may be larger. */
static unsigned first_outages(const struct evidence *e, struct span span[SPANS_NAMED])
{
    unsigned count = 0;
    for (unsigned i = 0; e->outages != NULL && i < e->outages->count; i++) {
        const struct outage *o = &e->outages->list[i];
        if (o->host[0] != '\0' || o->from_ns < e->summary->snapshot.from_ns)
            continue;
        if (count < SPANS_NAMED)
            span[count] = (struct span){o->from_ns, o->to_ns};
        count++;
    }
    return count;
}

/* Writes when nothing was completed: the times of all outages if there are several. */
static void name_stalls(char *text, size_t bytes, const struct evidence *e,
                        const struct stall *stall)
{
    struct span span[SPANS_NAMED];
    const unsigned count = first_outages(e, span);
    if (count < 2)
        snprintf(text, bytes, "from %s to %s s at least nothing was completed while",
                 moment(stall->from_ns).text, moment(stall->to_ns).text);
    else {
        const size_t used =
            (size_t)snprintf(text, bytes, "%u times nothing was completed, ", count);
        const size_t end = used + spans_name(text + used, bytes - used, span, count);
        snprintf(text + end, bytes - end, "; in the longest of these");
    }
}

void stationarity_add_stall(struct verdict *v, const struct evidence *e, const struct stall *stall)
{
    const char *advice = whose_stall(e, stall->lag_ns, stall->longest_ns);
    char times[200];
    name_stalls(times, sizeof(times), e, stall);
    if (stall->waiting > 0)
        finding_add(v, "NON-STATIONARY", advice,
                    "%s %" PRId64 " %s%s waited; the longest took %.2f ms, %s was %.2f ms", times,
                    stall->waiting, words(e)->waits, stall->waiting > 1 ? "s" : "",
                    ns_to_ms(stall->longest_ns), words(e)->lateness, ns_to_ms(stall->lag_ns));
    else
        finding_add(v, "NON-STATIONARY", advice,
                    "between %s and %s s %s was late by up to %.2f ms; the longest response time "
                    "was %.2f ms",
                    moment(stall->from_ns).text, moment(stall->to_ns).text, words(e)->late,
                    ns_to_ms(stall->lag_ns), ns_to_ms(stall->longest_ns));
}

/* Batches `first` to `last` − 1, in which response times were raised. */
struct spell {
    unsigned first, last;
};

/* Returns the batches around `worst` that are slower than usual, or in which nothing completed. */
static struct spell spell_around(const struct batches *b, unsigned worst, double median_ns)
{
    struct spell s = {worst, worst + 1};
    const double limit_ns = SPELL_RATIO * median_ns;
    while (s.first > 0 && (b->mean_ns[s.first - 1] > limit_ns || b->mean_ns[s.first - 1] == 0))
        s.first--;
    while (s.last < BATCHES && (b->mean_ns[s.last] > limit_ns || b->mean_ns[s.last] == 0))
        s.last++;
    return s;
}

/*
 * Returns true if the arrival rate asked for explains why the batch `worst` was so slow: the rate
 * was higher than usual in this batch, or in an earlier one from which a backlog was left. If other
 * times with such a rate were much faster, the rate is no explanation.
 */
static bool asked_explains(const struct batches *b, unsigned worst, double median_ns)
{
    const struct spell spell = spell_around(b, worst, median_ns);
    double asked[BATCHES], peer_ns[BATCHES], highest = 0;
    unsigned peers = 0;
    for (unsigned i = spell.first > 0 ? spell.first - 1 : 0; i <= worst; i++)
        highest = fmax(highest, b->asked_per_s[i]);
    for (unsigned i = 0; i < BATCHES; i++) {
        asked[i] = b->asked_per_s[i];
        if ((i < spell.first || i >= spell.last) && asked[i] >= PEER_RATIO * highest)
            peer_ns[peers++] = b->mean_ns[i];
    }
    if (highest < ASKED_RATIO * median_of(asked, BATCHES))
        return false;
    return peers < PEERS_MIN || b->mean_ns[worst] < SLOWDOWN_RATIO * median_of(peer_ns, peers);
}

/* Writes the rate asked for in the batch `worst` if it was higher than usual, else "". */
static void name_asked(char *text, size_t bytes, const struct batches *b, unsigned worst)
{
    double asked[BATCHES];
    for (unsigned i = 0; i < BATCHES; i++)
        asked[i] = b->asked_per_s[i];
    const double usual = median_of(asked, BATCHES), there = b->asked_per_s[worst];
    text[0] = '\0';
    if (usual > 0 && there >= ASKED_RATIO * usual)
        snprintf(text, bytes, ", at %.2f/s asked for (%.2f/s otherwise)", there, usual);
}

/* Adds a finding if one batch was far slower than the others, unless the arrival rate asked for
 * explains this. Returns true if the batch was slower. */
static bool judge_slowdown(struct verdict *v, const struct evidence *e, const struct batches *b)
{
    unsigned worst = 0;
    for (unsigned i = 1; i < BATCHES; i++)
        if (b->mean_ns[i] > b->mean_ns[worst])
            worst = i;
    const double median_ns = median_mean(b);
    if (b->mean_ns[worst] < SLOWDOWN_RATIO * median_ns ||
        b->mean_ns[worst] - median_ns < SLOWDOWN_FLOOR_NS)
        return false;
    if (e->settings->rate_changes && asked_explains(b, worst, median_ns))
        return true;
    const struct audit_window *w = &b->batch[worst];
    char asked[80];
    name_asked(asked, sizeof(asked), b, worst);
    /* Requests that completed in the batch may have arrived before it. */
    int64_t lag_ns = stall_lag_ns(e->audit, w->from_ns - w->response_max_ns, w->to_ns);
    finding_add(
        v, "NON-STATIONARY", whose_stall(e, lag_ns, w->response_max_ns),
        "from %s to %s s response times rose to %.2f ms in the mean (%.2f ms otherwise)%s; the "
        "longest was %.2f ms, %s %.2f ms",
        moment(w->from_ns).text, moment(w->to_ns).text, b->mean_ns[worst] / 1e6, median_ns / 1e6,
        asked, ns_to_ms(w->response_max_ns), words(e)->lateness, ns_to_ms(lag_ns));
    return true;
}

static void judge_drift(struct verdict *v, const struct batches *b)
{
    double variance_before, variance_after;
    double before = half(b, 0, BATCHES / 2, &variance_before);
    double after = half(b, BATCHES / 2, BATCHES, &variance_after);
    double sigmas = fabs(after - before) / fmax(sqrt(variance_before + variance_after), 1);
    if (sigmas > DRIFT_SIGMAS && fmax(before, after) > DRIFT_RATIO * fmin(before, after))
        finding_add(
            v, "NON-STATIONARY",
            "Response times drifted, so the figures mix different states: warm up longer "
            "(--warmup-time), or let the run last until they settle.",
            "the mean response time was %.2f ms in the first half and %.2f ms in the second",
            before / 1e6, after / 1e6);
}

/* Adds a finding if the service times of a part of the run differ from those of the rest. Changes
 * of the arrival rate may be the cause of such a difference. */
static void judge_change(struct verdict *v, const struct evidence *e)
{
    const struct episode *c = &v->episodes.change;
    if (!v->episodes.changed || e->settings->rate_changes)
        return;
    /* The sentence names the smaller of the part and its rest. */
    const struct snapshot *measured = &e->summary->snapshot;
    const bool most = c->to_ns - c->from_ns > (measured->to_ns - measured->from_ns) / 2;
    const double there_ns = most ? c->rest_service_ns : c->service_ns;
    const double otherwise_ns = most ? c->service_ns : c->rest_service_ns;
    finding_add(v, "NON-STATIONARY",
                "Service times were different in a part of the run, so the figures mix two states: "
                "find out what the server did at that time.",
                "%s %s to %s s the mean service time was %.2f ms (%.2f ms otherwise)",
                most ? "outside the time from" : "from", moment(c->from_ns).text,
                moment(c->to_ns).text, there_ns / NS_PER_MS, otherwise_ns / NS_PER_MS);
}

void stationarity_judge(struct verdict *v, const struct evidence *e)
{
    struct batches batches;
    const unsigned before = v->count;
    make_batches(&batches, e);
    /*
     * A stall leaves batches without completed requests, but the test for drift needs all batches.
     */
    if (e->summary->snapshot.metric[METRIC_RESPONSE].count < BATCHES * BATCH_MIN ||
        batches.filled == 0)
        return;
    if (!judge_slowdown(v, e, &batches) && !e->settings->rate_changes && batches.filled == BATCHES)
        judge_drift(v, &batches);
    if (v->count == before)
        judge_change(v, e);
}
