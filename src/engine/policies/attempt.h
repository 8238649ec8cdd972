/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The attempt of a worker to execute the request in service, under the policy of the clients
 * (--timeout). A client waits from the arrival of its request until the deadline of the attempt.
 *
 * All functions are called by the thread of the worker. The workers of a process share only the
 * budget for further attempts: each request adds its share to the budget when its first attempt
 * ends, and a further attempt takes 1 from it. The budget never holds more than 1 plus one share.
 * So further attempts are at most this share of the requests, plus 1 and one share, in any period.
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "options/policies/client_policy.h"
#include "stats/stats.h"

/* The kind of the last error in an attempt. FAILURE_POOL: no connection of the pool was free in
 * time (--pool-timeout). */
enum failure_kind { FAILURE_NONE, FAILURE_TIMEOUT, FAILURE_ERROR, FAILURE_DEADLOCK, FAILURE_POOL };

struct retry_budget {
    _Alignas(CACHE_ALIGN) _Atomic int64_t millionths; /* attempts that are left, times 10^6 */
};

struct attempt {
    const struct client_policy *policy; /* NULL if there is none */
    struct retry_budget *budget;        /* shared by all workers of the process */
    struct rand_stream backoff;         /* for the pauses between attempts */
    unsigned number;                    /* further attempts at the request; 0 in the first one */
    bool counted;                       /* the request was added to the budget */
    bool planned;                       /* a further attempt is planned, but has not begun */
    int64_t deadline_ns; /* CLOCK_MONOTONIC; 0 if no statement of the request has begun */
    int64_t start_ns;    /* start of a further attempt; 0 in the first one */
    bool unsent;         /* no statement was sent, because the deadline had passed before */
    enum failure_kind failure;
};

/*
 * Returns the deadline of the request that arrived at `arrival_ns`, or INT64_MAX if there is none.
 * Sets *fresh if this is the first statement of the attempt.
 */
static inline int64_t attempt_deadline_ns(struct attempt *a, int64_t arrival_ns, bool *fresh)
{
    *fresh = a->deadline_ns == 0;
    if (*fresh)
        a->deadline_ns = a->policy->timeout_ns > 0 ? arrival_ns + a->policy->timeout_ns : INT64_MAX;
    return a->deadline_ns;
}

/*
 * Counts an attempt that has failed at `now_ns`; the service of the request began at `start_ns`.
 * Returns true if the same request is to be executed again, at *again_ns, which may have passed.
 */
bool attempt_failed(struct attempt *a, struct stats_thread *stats, int64_t start_ns, int64_t now_ns,
                    int64_t *again_ns);

/* Counts the planned attempt, if there is one: it begins now. A run may end before. */
static inline void attempt_begin_again(struct attempt *a, struct stats_thread *stats)
{
    if (a->planned)
        stats_count(stats, COUNTER_RETRY, 1);
    a->planned = false;
}

/* Ends the request, whether it was completed (`done`) or given up, and prepares `a` for the next
 * request. */
void attempt_end(struct attempt *a, struct stats_thread *stats, int64_t now_ns, bool done);

#endif
