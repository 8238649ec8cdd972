/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/audit.h"

#include <math.h>

#include "base/util.h"

void audit_fini(struct audit *audit)
{
    free(audit->windows);
    *audit = (struct audit){0};
}

static uint64_t departed(const struct snapshot *s)
{
    return s->counter[COUNTER_EVENT] + s->counter[COUNTER_FAILED];
}

/* Returns the number of requests in the system at the end of the span. */
static int64_t left(const struct snapshot *s, int64_t before)
{
    return before + (int64_t)(s->offered - s->dropped) - (int64_t)departed(s);
}

void audit_begin(struct audit *audit, int64_t to_ns)
{
    if (audit->count > 0 && to_ns <= audit->windows[audit->count - 1].to_ns)
        return; /* records after the end of the run belong to the last window */
    if (audit->count == audit->room) {
        audit->room = audit->room == 0 ? 256 : 2 * audit->room;
        audit->windows = xrealloc(audit->windows, audit->room * sizeof(*audit->windows));
    }
    struct audit_window *w = &audit->windows[audit->count];
    *w = (struct audit_window){.from_ns = audit->count > 0 ? w[-1].to_ns : 0,
                               .to_ns = to_ns,
                               .in_system = audit->in_system};
    audit->count++;
}

void audit_add(struct audit *audit, const struct snapshot *recorded)
{
    if (audit->count == 0)
        return;
    struct audit_window *w = &audit->windows[audit->count - 1];
    const struct distribution *response = &recorded->metric[METRIC_RESPONSE];
    w->completed += recorded->counter[COUNTER_EVENT];
    w->response_sum_ns += (double)response->sum_ns;
    w->response_max_ns = max_i64(w->response_max_ns, response->max_ns);
    w->lag_max_ns = max_i64(w->lag_max_ns, recorded->lag.max_ns);
    w->asked += (double)recorded->offered;
    w->dropped += recorded->dropped;
    w->served += departed(recorded);
    w->service_sum_ns += metrics_busy_ns(recorded->metric);
    audit->in_system = left(recorded, audit->in_system);
    w->in_system = audit->in_system;
}

void audit_note(struct audit *audit, unsigned serving, int64_t late_ns)
{
    if (audit->count == 0)
        return;
    struct audit_window *w = &audit->windows[audit->count - 1];
    w->in_system = audit->in_system = serving;
    w->lag_max_ns = max_i64(w->lag_max_ns, late_ns);
}

void audit_note_asked(struct audit *audit, double asked)
{
    if (audit->count > 0)
        audit->windows[audit->count - 1].asked = asked;
}

double audit_mean_in_system(const struct audit *audit, int64_t from_ns, int64_t to_ns)
{
    double sum = 0, span = 0;
    for (size_t i = audit->count; i > 0 && audit->windows[i - 1].to_ns > from_ns; i--) {
        const struct audit_window *w = &audit->windows[i - 1];
        if (w->to_ns > to_ns)
            continue;
        sum += (double)w->in_system * (double)(w->to_ns - w->from_ns);
        span += (double)(w->to_ns - w->from_ns);
    }
    return span > 0 ? sum / span : 0;
}

/*
 * Returns ∫ N dt over the span in nanoseconds, computed from the requests that were there before,
 * and from the arrivals and departures since. The sums of times are known modulo 2^64, and unsigned
 * arithmetic gives the integral modulo 2^64, too. Of all values with this remainder, the one
 * nearest to an estimate from the windows is returned. The estimate need not be good: an error of
 * 2^63 ns would be 131 072 requests for 19.5 hours.
 */
static double integral(const struct audit *audit, const struct snapshot *s, int64_t before)
{
    const int64_t span_ns = s->to_ns - s->from_ns;
    const uint64_t end_ns = (uint64_t)s->to_ns;
    const uint64_t since_arrival = (s->offered - s->dropped) * end_ns - s->arrived_ns;
    const uint64_t since_departure = departed(s) * end_ns - s->departed_ns;
    const uint64_t sum = (uint64_t)before * (uint64_t)span_ns + since_arrival - since_departure;
    const __int128 about =
        (__int128)(audit_mean_in_system(audit, s->from_ns, s->to_ns) * (double)span_ns);
    return (double)(about + (int64_t)(sum - (uint64_t)about));
}

struct little little_of(const struct audit *audit, const struct snapshot *s, int64_t before)
{
    int64_t span_ns = s->to_ns - s->from_ns;
    if (span_ns <= 0)
        return (struct little){0};
    /* The times of arrivals and departures are read one after the other. At millions of requests
     * per second some of them change in between, so the integral may be slightly below 0. */
    const double area = fmax(0, integral(audit, s, before));
    double responses =
        (double)s->metric[METRIC_RESPONSE].sum_ns + (double)s->metric[METRIC_FAILED].sum_ns;
    double border = (double)(max_i64(0, before) + max_i64(0, left(s, before))) *
                    (double)max_i64(0, s->metric[METRIC_RESPONSE].max_ns);
    return (struct little){area / (double)span_ns, responses / (double)span_ns,
                           border / (double)span_ns};
}
