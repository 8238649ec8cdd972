/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/stall.h"

#include "base/util.h"

/* Silence against the percentile of the requests that had no part in it, and how many of these it
 * takes to know that. */
#define REST_PERCENTILE (99 * PERCENT)
#define SILENCE_RATIO 5
#define REST_MIN 20
/* A single request, or two, may just be slow. */
#define WAITING_MIN 3
/* So much of the time besides the longest silence: events that often take long make a silence each,
 * where few workers execute them. */
#define SILENT_SHARE 0.5

/* What the requests took that did not wait for the end of the silence, taken to be the fastest.
 * INT64_MAX: they are too few. */
static int64_t usual_ns(const struct distribution *response, const struct stall *silence)
{
    uint64_t all = response->count + response->censored, waiting = (uint64_t)silence->waiting;
    if (all < waiting + REST_MIN)
        return INT64_MAX;
    double rest = (double)(all - waiting) / (double)all;
    return distribution_percentile(response, (int64_t)((double)REST_PERCENTILE * rest)).ns;
}

int64_t stall_lag_ns(const struct audit *audit, int64_t from_ns, int64_t to_ns)
{
    int64_t lag_ns = 0;
    for (size_t i = 0; i < audit->count; i++) {
        const struct audit_window *w = &audit->windows[i];
        if (w->to_ns >= from_ns && w->from_ns < to_ns)
            lag_ns = max_i64(lag_ns, w->lag_max_ns);
    }
    return lag_ns;
}

/* Whether requests were there from the beginning of the window on and none was completed. */
static bool is_silent(const struct audit *audit, size_t i)
{
    return audit->windows[i].completed == 0 && i > 0 && audit->windows[i - 1].in_system > 0;
}

/* What was in the system when the silence that covers window `i` began: somewhere in the window
 * before, so that what came in that one may be its doing. */
static int64_t before(const struct audit *audit, size_t i)
{
    int64_t in_system = audit->windows[i - 1].in_system;
    return i > 1 ? min_i64(in_system, audit->windows[i - 2].in_system) : 0;
}

/* Adds window `i`, which is silent, to the stretch of silence that it belongs to. */
static void extend(struct stall *silence, const struct audit *audit, size_t i)
{
    const struct audit_window *w = &audit->windows[i];
    if (silence->to_ns != w->from_ns) {
        silence->from_ns = w->from_ns;
        silence->before = before(audit, i);
    }
    silence->to_ns = w->to_ns;
    silence->waiting = w->in_system;
}

static int64_t length_ns(const struct stall *stall)
{
    return stall->to_ns - stall->from_ns;
}

/* In the window behind the silence the first of those who waited are completed. */
static void look_behind(struct stall *silence, const struct audit *audit)
{
    int64_t end_ns = silence->to_ns;
    silence->longest_ns = length_ns(silence);
    for (size_t i = 0; i < audit->count; i++)
        if (audit->windows[i].from_ns == silence->to_ns) {
            end_ns = audit->windows[i].to_ns;
            silence->longest_ns = max_i64(silence->longest_ns, audit->windows[i].response_max_ns);
        }
    silence->lag_ns = stall_lag_ns(audit, silence->from_ns, end_ns);
}

/* How many requests must wait: all there can be, where these are few. */
static int64_t waiting_min(const struct stall_search *search)
{
    return search->workers > 0 ? min_i64(WAITING_MIN, search->workers) : WAITING_MIN;
}

/* Whether a window belongs to the measured part, and requests still arrive. */
static bool is_measured(const struct stall_search *search, const struct audit_window *w)
{
    return w->from_ns >= search->measured->from_ns && w->from_ns < search->arrivals_end_ns;
}

/* Whether what is left of the run, without `longest`, is silence for the most part. */
static bool is_usual(const struct stall_search *search, const struct stall *longest)
{
    int64_t silent_ns = 0, all_ns = 0;
    for (size_t i = 0; i < search->audit->count; i++) {
        const struct audit_window *w = &search->audit->windows[i];
        const bool inside = w->from_ns >= longest->from_ns && w->to_ns <= longest->to_ns;
        if (!is_measured(search, w) || inside)
            continue;
        all_ns += w->to_ns - w->from_ns;
        if (is_silent(search->audit, i))
            silent_ns += w->to_ns - w->from_ns;
    }
    return (double)silent_ns > SILENT_SHARE * (double)all_ns;
}

static void find_longest(struct stall *longest, const struct stall_search *search)
{
    const struct audit *audit = search->audit;
    struct stall silence = {.to_ns = -1};
    *longest = (struct stall){0};
    for (size_t i = 0; i < audit->count; i++) {
        if (!is_measured(search, &audit->windows[i]) || !is_silent(audit, i))
            continue;
        extend(&silence, audit, i);
        if (silence.waiting >= waiting_min(search) && length_ns(&silence) > length_ns(longest))
            *longest = silence;
    }
}

static bool find_silence(struct stall *longest, const struct stall_search *search)
{
    find_longest(longest, search);
    const struct distribution *response = &search->measured->metric[METRIC_RESPONSE];
    if (length_ns(longest) < STALL_FLOOR_NS ||
        length_ns(longest) / SILENCE_RATIO < usual_ns(response, longest) ||
        (search->workers > 0 && is_usual(search, longest)))
        return false;
    look_behind(longest, search->audit);
    return true;
}

/* Lag is known, not concluded: no chance is in it. */
static bool find_late_client(struct stall *stall, const struct audit *audit,
                             const struct snapshot *s)
{
    *stall = (struct stall){0};
    for (size_t i = 0; i < audit->count; i++) {
        const struct audit_window *w = &audit->windows[i];
        if (w->to_ns <= s->from_ns || w->lag_max_ns <= stall->lag_ns)
            continue;
        *stall = (struct stall){.from_ns = max_i64(0, w->to_ns - w->lag_max_ns),
                                .to_ns = w->to_ns,
                                .longest_ns = max_i64(w->response_max_ns, w->lag_max_ns),
                                .lag_ns = w->lag_max_ns};
    }
    return stall->lag_ns >= STALL_FLOOR_NS &&
           stall->lag_ns > distribution_percentile(&s->metric[METRIC_RESPONSE], 50 * PERCENT).ns;
}

bool stall_find(struct stall *stall, const struct stall_search *search)
{
    struct stall late;
    bool silent = find_silence(stall, search);
    if (!find_late_client(&late, search->audit, search->measured) ||
        (silent && length_ns(stall) > late.lag_ns))
        return silent;
    *stall = late;
    return true;
}
