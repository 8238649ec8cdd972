/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/policies/attempt.h"

static bool timed_out(const struct attempt *a, int64_t now_ns)
{
    return a->failure == FAILURE_TIMEOUT || (a->deadline_ns > 0 && now_ns >= a->deadline_ns);
}

bool attempt_failed(struct attempt *a, struct stats_thread *stats, int64_t start_ns, int64_t now_ns)
{
    const bool again = !timed_out(a, now_ns);
    if (!again)
        stats_count(stats, COUNTER_TIMEOUT, 1);
    if (a->unsent)
        stats_count(stats, COUNTER_UNSENT, 1);
    else
        stats_count(stats, COUNTER_LOST_NS, (uint64_t)(now_ns - max_i64(start_ns, a->start_ns)));
    a->start_ns = now_ns;
    a->failure = FAILURE_NONE;
    a->unsent = false;
    return again;
}

void attempt_end(struct attempt *a, struct stats_thread *stats, int64_t now_ns, bool done)
{
    if (done && a->deadline_ns > 0 && now_ns > a->deadline_ns)
        stats_count(stats, COUNTER_LATE, 1);
    a->deadline_ns = a->start_ns = 0;
    a->failure = FAILURE_NONE;
    a->unsent = false;
}
