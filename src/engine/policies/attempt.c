/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/policies/attempt.h"

static bool timed_out(const struct attempt *a, int64_t now_ns)
{
    return a->failure == FAILURE_TIMEOUT || (a->deadline_ns > 0 && now_ns >= a->deadline_ns);
}

#define ONE 1000000

static void add_to_budget(struct attempt *a)
{
    const double share = a->policy->retry.budget;
    if (share < 0 || a->counted)
        return;
    a->counted = true;
    /* A limit of 1 would lose the rest above 1 in each cycle: with 30 %, 0.2 of 1.2. */
    const int64_t more = (int64_t)(share * ONE + 0.5);
    int64_t left = atomic_load_explicit(&a->budget->millionths, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&a->budget->millionths, &left,
                                         min_i64(ONE + more, left + more)))
        continue;
}

static bool take_from_budget(struct attempt *a)
{
    if (a->policy->retry.budget < 0)
        return true;
    int64_t left = atomic_load_explicit(&a->budget->millionths, memory_order_relaxed);
    do {
        if (left < ONE)
            return false;
    } while (!atomic_compare_exchange_weak(&a->budget->millionths, &left, left - ONE));
    return true;
}

/* Draws the pause before the next attempt. Pauses do not double beyond an hour. */
static int64_t draw_pause_ns(struct attempt *a)
{
    const struct retry_policy *retry = &a->policy->retry;
    double mean_ns = (double)retry->pause_ns;
    for (unsigned i = 0; retry->doubles && i < a->number && mean_ns < 3600.0 * NS_PER_SEC; i++)
        mean_ns *= 2;
    return (int64_t)(mean_ns * (0.5 + rand_stream_double(&a->backoff)));
}

/* Counts the end of an attempt that did not complete the request. */
static void count_failure(const struct attempt *a, struct stats_thread *stats, int64_t from_ns,
                          int64_t now_ns, enum failure_kind kind)
{
    if (kind == FAILURE_TIMEOUT)
        stats_count(stats, COUNTER_TIMEOUT, 1);
    if (a->unsent)
        stats_count(stats, COUNTER_UNSENT, 1);
    else
        stats_count(stats, COUNTER_LOST_NS, (uint64_t)(now_ns - from_ns));
}

/* Returns true if the client makes another attempt after an error of this kind. */
static bool makes_another(struct attempt *a, struct stats_thread *stats, enum failure_kind kind)
{
    static const unsigned on[] = {[FAILURE_TIMEOUT] = RETRY_ON_TIMEOUT,
                                  [FAILURE_ERROR] = RETRY_ON_ERROR,
                                  [FAILURE_DEADLOCK] = RETRY_ON_DEADLOCK,
                                  [FAILURE_POOL] = RETRY_ON_POOL};
    if ((a->policy->retry_on & on[kind]) == 0 || a->number + 1 >= a->policy->retry.attempts)
        return false;
    if (take_from_budget(a))
        return true;
    stats_count(stats, COUNTER_NO_BUDGET, 1);
    return false;
}

bool attempt_failed(struct attempt *a, struct stats_thread *stats, int64_t start_ns, int64_t now_ns,
                    int64_t *again_ns)
{
    const enum failure_kind kind = timed_out(a, now_ns) ? FAILURE_TIMEOUT : a->failure;
    count_failure(a, stats, max_i64(start_ns, a->start_ns), now_ns, kind);
    add_to_budget(a);
    a->failure = FAILURE_NONE;
    a->unsent = false;
    *again_ns = a->start_ns = now_ns;
    /* The script wants to execute the event again, or there is no policy for this. */
    if (kind == FAILURE_NONE || a->policy->retry.attempts == 0)
        return kind != FAILURE_TIMEOUT && kind != FAILURE_POOL;
    if (!makes_another(a, stats, kind))
        return false;
    *again_ns = a->start_ns = now_ns + draw_pause_ns(a);
    a->deadline_ns = a->policy->timeout_ns > 0 ? a->start_ns + a->policy->timeout_ns : INT64_MAX;
    a->number++;
    a->planned = true;
    return true;
}

void attempt_end(struct attempt *a, struct stats_thread *stats, int64_t now_ns, bool done)
{
    if (done && a->deadline_ns > 0 && now_ns > a->deadline_ns)
        stats_count(stats, COUNTER_LATE, 1);
    add_to_budget(a);
    a->deadline_ns = a->start_ns = 0;
    a->number = 0;
    a->counted = a->planned = false;
    a->failure = FAILURE_NONE;
    a->unsent = false;
}
