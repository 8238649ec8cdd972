/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/stall.h"

#include "base/util.h"

/*
 * A silence is a stall only if it is at least SILENCE_RATIO times as long as this percentile of the
 * response times of all requests that were not part of it. At least REST_MIN such requests are
 * needed.
 */
#define REST_PERCENTILE (99 * PERCENT)
#define SILENCE_RATIO 5
#define REST_MIN 20
/* Fewest requests that must be waiting. One or two requests may just be slow. */
#define WAITING_MIN 3
/* A silence is normal if other silences take up more than this share of the rest of the run: with
 * few workers, each event that takes long causes a silence. */
#define SILENT_SHARE 0.5

/* Returns REST_PERCENTILE of the response times of requests that did not wait for the end of the
 * silence. These are assumed to be the fastest requests. Returns INT64_MAX if they are too few. */
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

/* Returns true if requests were in the system from the beginning of the window on and none was
 * completed in it. */
static bool is_silent(const struct audit *audit, size_t i)
{
    return audit->windows[i].completed == 0 && i > 0 && audit->windows[i - 1].in_system > 0;
}

/*
 * Returns the number of requests in the system before the silence that includes window `i`. The
 * silence began at some time in the window before it, so requests that arrived in that window may
 * be a result of the silence and are not counted.
 */
static int64_t before(const struct audit *audit, size_t i)
{
    int64_t in_system = audit->windows[i - 1].in_system;
    return i > 1 ? min_i64(in_system, audit->windows[i - 2].in_system) : 0;
}

/* Adds the silent window `i` to the silence that it belongs to. */
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

/* Fills in the longest response time and the lag. The first of the waiting requests are completed
 * in the window after the silence. */
static void look_after(struct stall *silence, const struct audit *audit)
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

void stall_of_span(struct stall *stall, const struct audit *audit, int64_t from_ns, int64_t to_ns)
{
    *stall = (struct stall){.from_ns = from_ns, .to_ns = to_ns};
    for (size_t i = 0; i < audit->count && audit->windows[i].to_ns <= to_ns; i++) {
        if (audit->windows[i].to_ns <= from_ns)
            stall->before = audit->windows[i].in_system;
        stall->waiting = audit->windows[i].in_system;
    }
    look_after(stall, audit);
}

/* Returns the number of requests that must be waiting: WAITING_MIN, or all workers if there are
 * fewer. */
static int64_t waiting_min(const struct stall_search *search)
{
    return search->workers > 0 ? min_i64(WAITING_MIN, search->workers) : WAITING_MIN;
}

/* Returns true if a window belongs to the measured part and requests still arrive in it. */
static bool is_measured(const struct stall_search *search, const struct audit_window *w)
{
    return w->from_ns >= search->measured->from_ns && w->from_ns < search->arrivals_end_ns;
}

/* Returns true if most of the run outside of `longest` is silent, too. */
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
    look_after(longest, search->audit);
    return true;
}

/* Finds the time with the largest lag. Lag is measured, not inferred, so chance need not be
 * considered. */
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
