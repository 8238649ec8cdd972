/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The budget for further attempts, from the exact times of a log of attempts. */
#include "engine/policies/attempt.h"

#include <pthread.h>

#include "../../suite.h"
#include "base/clock.h"

enum { CLIENTS = 50, ENDS = 60000, THREADS = 4, REQUESTS = 20000 };

/* The end of an attempt. */
struct entry {
    int64_t at_ns;
    bool first;   /* it was the first attempt at its request */
    bool retried; /* the client makes another attempt */
};

static const struct client_policy policy = {
    .on = true,
    .retry = {.attempts = 100, .budget = 0.3},
    .retry_on = RETRY_ON_TIMEOUT,
};
static struct entry entries[ENDS];

/* Ends the attempt of a client, which fails if `fails`. Returns true if it makes another one. */
static bool end_attempt(struct attempt *a, struct stats_thread *stats, int64_t now_ns, bool fails)
{
    int64_t again_ns;
    a->failure = fails ? FAILURE_TIMEOUT : FAILURE_NONE;
    if (fails && attempt_failed(a, stats, now_ns, now_ns, &again_ns))
        return true;
    attempt_end(a, stats, now_ns, !fails);
    return false;
}

/* Logs attempts of clients that end at random times, 2000 per second. Each fails with the
 * probability `odd` or `even`, depending on the second. */
static void simulate(double odd, double even)
{
    struct stats *stats = stats_create(1, true);
    struct retry_budget budget = {0};
    struct attempt clients[CLIENTS] = {0};
    struct rand_stream stream;
    int64_t now_ns = NS_PER_SEC;
    rand_stream_init(&stream, 7, RAND_RETRY, CLIENTS);
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i].policy = &policy;
        clients[i].budget = &budget;
        rand_stream_init(&clients[i].backoff, 7, RAND_RETRY, i);
    }
    for (unsigned i = 0; i < ENDS; i++) {
        struct attempt *a = &clients[(unsigned)(rand_stream_double(&stream) * CLIENTS)];
        now_ns += (int64_t)(rand_stream_exponential(&stream) * NS_PER_SEC / 2000);
        const double failing = now_ns / NS_PER_SEC % 2 == 1 ? odd : even;
        entries[i].at_ns = now_ns;
        entries[i].first = a->number == 0;
        entries[i].retried =
            end_attempt(a, stats_thread(stats, 0), now_ns, rand_stream_double(&stream) < failing);
    }
    stats_destroy(stats);
}

/*
 * Returns the largest value of (sign · (retries − 30 % of the requests)) over all periods of one
 * second that begin with an entry. A limit for these periods is one for all periods: the others
 * have the entries of one that begins with an entry, or fewer at their end.
 */
static double worst_excess(double sign)
{
    double retries = 0, requests = 0, worst = -1e9;
    for (unsigned from = 0, to = 0; entries[ENDS - 1].at_ns - entries[from].at_ns > NS_PER_SEC;
         from++) {
        for (; entries[to].at_ns < entries[from].at_ns + NS_PER_SEC; to++) {
            retries += entries[to].retried;
            requests += entries[to].first;
        }
        const double excess = sign * (retries - 0.3 * requests);
        worst = excess > worst ? excess : worst;
        retries -= entries[from].retried;
        requests -= entries[from].first;
    }
    return worst;
}

/* The budget holds at most 1.3 at the start of a period, even if nothing failed before. The sums
 * are of tenths, so they are exact to 1e-6. */
START_TEST(no_second_exceeds_the_budget)
{
    simulate(0.5, 0.5);
    ck_assert_double_le(worst_excess(1), 1.3 + 1e-6);
    simulate(0, 1);
    ck_assert_double_le(worst_excess(1), 1.3 + 1e-6);
}
END_TEST

/* If all attempts fail, the budget is spent as soon as it is 1: less than 1 is left at the end of a
 * period. A second has about 1500 requests, so the error is at most 1 of 460 retries. */
START_TEST(every_second_uses_the_budget)
{
    simulate(1, 1);
    ck_assert_double_le(worst_excess(-1), 1 + 1e-6);
}
END_TEST

struct hammer {
    struct stats_thread *stats;
    struct retry_budget *budget;
    unsigned retries;
};

static void *hammer_main(void *arg)
{
    struct hammer *h = arg;
    struct attempt a = {.policy = &policy, .budget = h->budget};
    for (unsigned i = 0; i < REQUESTS; i++)
        while (end_attempt(&a, h->stats, NS_PER_SEC, true))
            h->retries++;
    return NULL;
}

/* If a thread adds its share to a full budget, a part of the share is lost. So only the upper limit
 * is exact. */
START_TEST(threads_share_the_budget)
{
    struct stats *stats = stats_create(THREADS, true);
    struct retry_budget budget = {0};
    struct hammer hammers[THREADS];
    pthread_t threads[THREADS];
    unsigned retries = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        hammers[i] = (struct hammer){.stats = stats_thread(stats, i), .budget = &budget};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, hammer_main, &hammers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        retries += hammers[i].retries;
    }
    ck_assert_uint_le(retries, THREADS * REQUESTS * 3 / 10);
    ck_assert_uint_gt(retries, THREADS * REQUESTS / 10);
    stats_destroy(stats);
}
END_TEST

RUN_SUITE("attempt", 60, no_second_exceeds_the_budget, every_second_uses_the_budget,
          threads_share_the_budget)
