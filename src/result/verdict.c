/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "options/percentiles.h"
#include "result/overload.h"
#include "result/stall.h"
#include "result/stationarity.h"

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
    const double after_s = ns_to_seconds(e->arrivals_end_ns);
    if (e->cut == CUT_ERROR)
        finding_add(v, name,
                    "The figures end at the error and include what led to it: look at the error "
                    "message and repeat the run.",
                    "an error ended the run after %.*f%s s", after_s < 1 ? 3 : 1, after_s, planned);
    else if (e->cut == CUT_FORCED)
        finding_add(v, name,
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
        finding_add(v, client_limited, advice,
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
        finding_add(v, client_limited, advice,
                    "at %s the generator was late by %.2f ms, of a response time of %.2f ms",
                    percentile_label(percentile, text, sizeof(text)),
                    ns_to_ms(distribution_percentile(&e->summary->snapshot.lag, percentile).ns),
                    ns_to_ms(distribution_percentile(response_of(e), percentile).ns));
    else if (e->client_cpu > CLIENT_CPU_LIMIT)
        finding_add(v, client_limited, advice, "the client used %.0f %% of all processors",
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
        finding_add(v, client_limited, advice,
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
    bool law = arrival_plan_has_law(&e->settings->arrivals);
    /* Kolmogorov's limit distribution: P(D > x/√n) ≈ 2·exp(−2x²), which is 0.001 at x = 1.95. */
    v->ks_critical = law && e->gaps > 0 ? 1.95 / sqrt((double)e->gaps) : 0;
    double limit = law ? KS_LIMIT + v->ks_critical : DEVIATION_LIMIT;
    if (e->goodness > limit)
        finding_add(v, "ARRIVALS-OFF", how_to_be_on_time(e->settings->arrivals.wait),
                    law ? "the gaps are %.3f away from their law (Kolmogorov-Smirnov; up to %.3f "
                          "is tolerated)"
                        : "the gaps deviate by %.3f of the mean gap (up to %.3f is tolerated)",
                    e->goodness, limit);
}

static void judge_nothing(struct verdict *v, const struct evidence *e)
{
    static const char name[] = "NOTHING-MEASURED";
    if (e->settings->rate > 0)
        finding_add(
            v, name,
            "Let the run last longer than its warm-up and than the time between two arrivals.",
            "no request arrived in the measured part of the run");
    else
        finding_add(v, name, "Let the run last longer than its warm-up.",
                    "no event was started in the measured part of the run");
}

/* Finds the longest outage of the whole run that chance does not explain. If there are several
 * outages, none of them may be long in comparison with the requests that waited for the others, so
 * stall_find() does not find it. */
static bool find_outage(struct stall *stall, const struct evidence *e)
{
    const struct outage *longest = NULL;
    for (unsigned i = 0; e->outages != NULL && i < e->outages->count; i++) {
        const struct outage *o = &e->outages->list[i];
        const int64_t length_ns = o->to_ns - o->from_ns;
        if (e->outages->sure_ns >= 0 && o->host[0] == '\0' &&
            o->from_ns >= e->summary->snapshot.from_ns &&
            length_ns >= max_i64(STALL_FLOOR_NS, e->outages->sure_ns) &&
            (longest == NULL || length_ns > longest->to_ns - longest->from_ns))
            longest = o;
    }
    if (longest != NULL)
        stall_of_span(stall, e->audit, longest->from_ns, longest->to_ns);
    return longest != NULL && stall->waiting > 0;
}

static void judge_times(struct verdict *v, const struct evidence *e)
{
    struct stall stall;
    const struct stall_search search = {
        .audit = e->audit,
        .measured = &e->summary->snapshot,
        .arrivals_end_ns = e->arrivals_end_ns,
        .workers = e->settings->rate > 0 ? 0 : (unsigned)e->settings->threads};
    const bool stalled = stall_find(&stall, &search) || find_outage(&stall, e);
    const bool overloaded = e->settings->rate > 0 && overload_judge(v, e, stalled ? &stall : NULL);
    /* A growing backlog is a drift by itself, so drift is judged only without it. A stall is
     * reported in any case. */
    if (stalled)
        stationarity_add_stall(v, e, &stall);
    else if (!overloaded)
        stationarity_judge(v, e);
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
