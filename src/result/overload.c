/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/overload.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"

/* A backlog at the end is a finding if it is more than this share of all requests, and more than
 * this multiple of the mean backlog. */
#define BACKLOG_SHARE 0.01
#define BACKLOG_GROWTH 1.5
/*
 * Share of the measured part that episodes of overload must cover for a finding. If a higher rate
 * was asked for in an episode than in the rest, the user wanted to see it, so it may last longer.
 */
#define EPISODES_SHARE 0.1
#define EPISODES_SHARE_ASKED 0.25
#define ASKED_RATIO 1.25
/* Outages account for dropped or unfinished requests if at least this share of them came about in
 * outages. */
#define ACCOUNTED_SHARE 0.9
/* Most gaps that outages and the stall make. The last one also covers the time up to the end of any
 * further ones. */
#define GAPS_MAX 64

static const char overloaded[] = "OVERLOADED";

static bool is_of_whole_run(const struct outage *o)
{
    return o->host[0] == '\0';
}

/* Outages of the whole run. */

/* Returns the number of requests that found the queue full during outages, or afterwards until half
 * of the backlog that the outage caused was gone. An overload after the outage ends this, too. */
static uint64_t dropped_by_outage(const struct evidence *e, const struct episodes *episodes,
                                  const struct outage *o, const struct outage *next)
{
    int64_t before = 0, most = 0, until_ns = next != NULL ? next->from_ns : INT64_MAX;
    uint64_t dropped = 0;
    for (unsigned i = 0; i < episodes->count; i++)
        if (episodes->list[i].to_ns > o->to_ns)
            until_ns = min_i64(until_ns, max_i64(o->to_ns, episodes->list[i].from_ns));
    for (size_t i = 0; i < e->audit->count; i++) {
        const struct audit_window *w = &e->audit->windows[i];
        if (w->to_ns <= o->from_ns) {
            before = w->in_system;
            continue;
        }
        if (w->from_ns >= until_ns)
            break;
        if (w->from_ns >= e->summary->snapshot.from_ns)
            dropped += w->dropped;
        most = max_i64(most, w->in_system);
        if (w->from_ns >= o->to_ns && w->in_system <= before + (most - before) / 2)
            break;
    }
    return dropped;
}

static const struct outage *next_outage(const struct outages *outages, const struct outage *o)
{
    const struct outage *end = outages->list + outages->count;
    for (o = o == NULL ? outages->list : o + 1; o < end; o++)
        if (is_of_whole_run(o))
            return o;
    return NULL;
}

static bool outages_account_for_dropped(const struct evidence *e, const struct episodes *episodes)
{
    uint64_t dropped = 0;
    if (e->outages == NULL)
        return false;
    for (const struct outage *o = next_outage(e->outages, NULL), *next; o != NULL; o = next) {
        next = next_outage(e->outages, o);
        dropped += dropped_by_outage(e, episodes, o, next);
    }
    return (double)dropped >= ACCOUNTED_SHARE * (double)e->summary->requests.dropped;
}

/* Returns the number of requests in the system at the end of the last window that ends at `at_ns`
 * or earlier. */
static int64_t in_system_at(const struct audit *audit, int64_t at_ns)
{
    int64_t in_system = 0;
    for (size_t i = 0; i < audit->count && audit->windows[i].to_ns <= at_ns; i++)
        in_system = audit->windows[i].in_system;
    return in_system;
}

/* Returns when the backlog was last below a tenth of `requests` before `until_ns`; 0 if never. */
static int64_t last_low_ns(const struct audit *audit, double requests, int64_t until_ns)
{
    int64_t low_ns = 0;
    for (size_t i = 0; i < audit->count && audit->windows[i].to_ns <= until_ns; i++)
        if ((double)audit->windows[i].in_system < requests / 10)
            low_ns = audit->windows[i].to_ns;
    return low_ns;
}

/* Returns true if the backlog at the end came about in outages and was never worked off after
 * them. */
static bool outages_account_for_backlog(const struct evidence *e, const struct episodes *episodes,
                                        double requests, int64_t until_ns)
{
    double grown = 0;
    if (e->outages == NULL)
        return false;
    const int64_t low_ns = last_low_ns(e->audit, requests, until_ns);
    for (const struct outage *o = next_outage(e->outages, NULL); o != NULL;
         o = next_outage(e->outages, o))
        if (o->to_ns > low_ns)
            grown +=
                (double)(in_system_at(e->audit, o->to_ns) - in_system_at(e->audit, o->from_ns));
    for (unsigned i = 0; i < episodes->count; i++)
        if (episodes->list[i].to_ns > low_ns)
            return false;
    return grown >= ACCOUNTED_SHARE * requests;
}

/* Episodes. */

static unsigned make_gaps(struct episodes_gap gap[GAPS_MAX], const struct evidence *e,
                          const struct stall *stall)
{
    unsigned gaps = 0;
    if (stall != NULL)
        gap[gaps++] = (struct episodes_gap){stall->from_ns, stall->to_ns};
    for (unsigned i = 0; e->outages != NULL && i < e->outages->count; i++) {
        const struct outage *o = &e->outages->list[i];
        if (!is_of_whole_run(o))
            continue;
        if (gaps < GAPS_MAX)
            gap[gaps++] = (struct episodes_gap){o->from_ns, o->to_ns};
        else
            gap[gaps - 1].to_ns = max_i64(gap[gaps - 1].to_ns, o->to_ns);
    }
    return gaps;
}

static void find_episodes(struct episodes *episodes, const struct evidence *e,
                          const struct stall *stall)
{
    struct episodes_gap gap[GAPS_MAX];
    const struct audit *audit = e->audit;
    const int64_t end_ns = audit->count > 0 ? audit->windows[audit->count - 1].to_ns : 0;
    const struct episodes_search search = {.audit = audit,
                                           .workers = (unsigned)e->settings->threads,
                                           .from_ns = e->summary->snapshot.from_ns,
                                           .to_ns = min_i64(e->arrivals_end_ns, end_ns),
                                           .gap = gap,
                                           .gaps = make_gaps(gap, e, stall)};
    episodes_find(episodes, &search);
}

/* Returns the episode with the largest load, which must exist. */
static const struct episode *worst_of(const struct episodes *episodes)
{
    const struct episode *worst = &episodes->list[0];
    for (unsigned i = 1; i < episodes->count; i++)
        if (episodes->list[i].load > worst->load)
            worst = &episodes->list[i];
    return worst;
}

static size_t name_times(char *text, size_t bytes, const struct episodes *episodes)
{
    struct span span[SPANS_NAMED];
    for (unsigned i = 0; i < episodes->count && i < SPANS_NAMED; i++)
        span[i] = (struct span){episodes->list[i].from_ns, episodes->list[i].to_ns};
    return spans_name(text, bytes, span, episodes->count);
}

/* Returns true if the workers spent most of their time waiting for a connection of the pool. */
static bool waits_for_connections(const struct evidence *e)
{
    const struct distribution *metric = e->summary->snapshot.metric;
    return (double)metric[METRIC_CONNECTION_WAIT].sum_ns > metrics_busy_ns(metric) / 2;
}

/* Writes the times of the episodes, the largest load and the arrival rate asked for. */
static void describe(char *text, size_t bytes, const struct evidence *e,
                     const struct episodes *episodes)
{
    const struct episode *worst = worst_of(episodes);
    size_t used = name_times(text, bytes, episodes);
    if (used < bytes)
        used += (size_t)snprintf(
            text + used, bytes - used,
            " %s%.2f times as many requests arrived as %" PRId64 " worker%s could serve, at %.2f/s",
            episodes->count > 1 ? "up to " : "", worst->load, e->settings->threads,
            e->settings->threads > 1 ? "s" : "", worst->asked_per_s);
    if (e->settings->rate_changes && used < bytes)
        used += (size_t)snprintf(text + used, bytes - used, " asked for (%.2f/s otherwise)",
                                 worst->rest_asked_per_s);
    if (used < bytes)
        used += (size_t)snprintf(text + used, bytes - used, " with a mean %s of %.2f ms",
                                 waits_for_connections(e)
                                     ? "time for the wait for a connection and the service"
                                     : "service time",
                                 worst->service_ns / NS_PER_MS);
    if (worst->rest_service_ns > 0 && used < bytes)
        snprintf(text + used, bytes - used, " (%.2f ms otherwise)",
                 worst->rest_service_ns / NS_PER_MS);
}

static bool is_asked(const struct evidence *e, const struct episodes *episodes)
{
    for (unsigned i = 0; i < episodes->count; i++)
        if (episodes->list[i].asked_per_s < ASKED_RATIO * episodes->list[i].rest_asked_per_s)
            return false;
    return e->settings->rate_changes;
}

/* Returns true if a finding was added. */
static bool judge_episodes(struct verdict *v, const struct evidence *e,
                           const struct episodes *episodes)
{
#define ADVICE(more)                                                                               \
    "A backlog built up at that time, so response times depend on its length: find out why the "   \
    "service times were longer, lower the rate, or raise " more " if the server has room."
#define ADVICE_ASKED(more)                                                                         \
    "A backlog built up while the higher rate was asked for, so response times depend on how "     \
    "long that lasts: lower this rate, or raise " more " if the server has room."
    static const char *const advice[] = {ADVICE("the number of workers"), ADVICE("--pool-size")};
    static const char *const advice_asked[] = {ADVICE_ASKED("the number of workers"),
                                               ADVICE_ASKED("--pool-size")};
    const bool pooled = waits_for_connections(e);
    char text[sizeof(v->remark)];
    if (episodes->count == 0)
        return false;
    const bool asked = is_asked(e, episodes);
    describe(text, sizeof(text), e, episodes);
    if (episodes->overloaded >= (asked ? EPISODES_SHARE_ASKED : EPISODES_SHARE)) {
        finding_add(v, overloaded, asked ? advice_asked[pooled] : advice[pooled], "%s", text);
        return true;
    }
    snprintf(v->remark, sizeof(v->remark), "%s", text);
    return false;
}

/* The end of the run. */

/* Requests that were unfinished for lack of service, and the time by which they had accumulated. */
struct backlog {
    uint64_t requests;
    int64_t until_ns;
};

/* If a stall lasted until the end, the requests that it kept from being finished do not count.
 * `stall` may be NULL. */
static struct backlog backlog_of(const struct evidence *e, const struct stall *stall)
{
    const struct requests *r = &e->summary->requests;
    const uint64_t unfinished = r->queued + r->in_service;
    if (stall == NULL || stall->waiting == 0 || stall->to_ns < e->arrivals_end_ns)
        return (struct backlog){unfinished, e->arrivals_end_ns};
    const int64_t before = min_i64((int64_t)unfinished, max_i64(0, stall->before));
    return (struct backlog){(uint64_t)before, stall->from_ns};
}

/* Returns true if more requests were unfinished than a queue in balance leaves. */
static bool is_growing(const struct evidence *e, const struct backlog *backlog)
{
    /* If requests are left after --drain, no further proof is needed. */
    const double mean = audit_mean_in_system(e->audit, 0, backlog->until_ns);
    const bool growing =
        e->settings->drain_ns > 0 || (double)backlog->requests > BACKLOG_GROWTH * mean;
    return (double)backlog->requests > BACKLOG_SHARE * (double)e->summary->requests.offered &&
           backlog->requests > (uint64_t)e->settings->threads && growing;
}

static const char *load_advice(const struct evidence *e, bool accounted)
{
#define ADVICE_END(more)                                                                           \
    "More arrived than was served, so response times depend on the length of the run: lower the "  \
    "rate, or raise " more " if the server has room."
    if (accounted)
        return "They are a result of the outages, in which nothing was completed: find out what "
               "the server did at these times. The rate is not the cause.";
    return waits_for_connections(e) ? ADVICE_END("--pool-size")
                                    : ADVICE_END("the number of workers");
}

/* Adds a finding if requests were dropped, or if too many were unfinished. Returns true if it has
 * added one. */
static bool judge_end(struct verdict *v, const struct evidence *e, const struct stall *stall)
{
    const struct requests *r = &e->summary->requests;
    const struct backlog backlog = backlog_of(e, stall);
    if (r->dropped > 0) {
        const bool accounted = outages_account_for_dropped(e, &v->episodes);
        finding_add(v, overloaded, load_advice(e, accounted),
                    "%" PRIu64 " of %" PRIu64 " requests found the queue full%s", r->dropped,
                    r->offered, accounted ? ", because of outages" : "");
        return true;
    }
    if (!is_growing(e, &backlog))
        return false;
    const bool accounted = outages_account_for_backlog(
        e, &v->episodes, (double)backlog.requests, min_i64(backlog.until_ns, e->arrivals_end_ns));
    finding_add(v, overloaded, load_advice(e, accounted),
                accounted ? "%" PRIu64 " of %" PRIu64
                            " requests were unfinished, because of outages"
                          : "%" PRIu64 " of %" PRIu64
                            " requests were unfinished, and the backlog was growing",
                backlog.requests, r->offered);
    return true;
}

/* Episodes that cover at least this share of the measured part are all of it. */
#define ALL_SHARE 0.9

bool overload_judge(struct verdict *v, const struct evidence *e, const struct stall *stall)
{
    find_episodes(&v->episodes, e, stall);
    if (!judge_end(v, e, stall))
        return judge_episodes(v, e, &v->episodes);
    /* The finding does not say when the backlog grew. */
    if (v->episodes.count > 0 && v->episodes.overloaded < ALL_SHARE)
        describe(v->remark, sizeof(v->remark), e, &v->episodes);
    return true;
}
