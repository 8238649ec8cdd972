/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/outage_limit.h"

#include "../suite.h"
#include "base/rand_stream.h"
#include "base/sort.h"
#include "result/outage.h"
#include "tools/selftest/queue_sim.h"

#define REQUESTS 5000

/* A run of an M/M/c queue. */
static struct distribution response;
static struct silence silence[REQUESTS];
static unsigned silences;
static int64_t arrival_ns[REQUESTS], end_ns[REQUESTS];

/* Notes each silence of at least OUTAGE_FLOOR_NS, and the requests that wait at its end. */
static void find_silences(void)
{
    unsigned arrived = 0;
    silences = 0;
    sort_i64(end_ns, REQUESTS);
    for (unsigned i = 0; i + 1 < REQUESTS; i++) {
        /* If the queue was empty, the silence begins with the next arrival. */
        const int64_t from_ns = max_i64(end_ns[i], arrival_ns[i + 1]);
        while (arrived < REQUESTS && arrival_ns[arrived] < end_ns[i + 1])
            arrived++;
        if (end_ns[i + 1] - from_ns >= OUTAGE_FLOOR_NS)
            silence[silences++] = (struct silence){end_ns[i + 1] - from_ns, arrived - i - 1};
    }
}

static void simulate(unsigned servers, double load, double service_s, struct rand_stream *stream)
{
    struct queue_sim sim = {.servers = servers};
    double at = 0;
    distribution_reset(&response);
    for (unsigned i = 0; i < REQUESTS; i++) {
        at += rand_stream_exponential(stream) * service_s / (load * servers);
        arrival_ns[i] = seconds_to_ns(at);
        const int64_t service_ns = seconds_to_ns(service_s * rand_stream_exponential(stream));
        end_ns[i] = queue_sim_serve(&sim, arrival_ns[i], service_ns) + service_ns;
        distribution_record(&response, end_ns[i] - arrival_ns[i]);
    }
    find_silences();
}

static int64_t limit(void)
{
    const int64_t median_ns = distribution_percentile(&response, 50 * PERCENT).ns;
    return outage_limit_ns(&response, median_ns, silence, silences);
}

/*
 * A silence of 5 times the p99 response time needs a service of 5 × 4.6 mean service times, which
 * has a probability of 10^-10; among 5000 requests in each of 240 runs, 10^-4. The silences that
 * are excluded hardly change this limit, because few requests wait in most of them.
 */
START_TEST(silences_of_queues_are_no_outages)
{
    static const double service_s[] = {0.02, 0.05, 0.1, 0.5}, load[] = {0.1, 0.6, 0.95};
    struct rand_stream stream;
    unsigned seen = 0;
    rand_stream_init(&stream, suite_seed(11), 0, 0);
    distribution_init(&response);
    for (unsigned run = 0; run < 240; run++) {
        const unsigned servers = 1 + run / 12 % 4;
        simulate(servers, load[run % 3], service_s[run / 3 % 4], &stream);
        const int64_t limit_ns = limit();
        seen += silences;
        /* outage_limit_ns() has sorted the silences. */
        if (silences > 0)
            ck_assert_msg(limit_ns > silence[0].length_ns, "run %u: %.3f s", run,
                          ns_to_seconds(silence[0].length_ns));
    }
    distribution_fini(&response);
    ck_assert_uint_gt(seen, 10000);
}
END_TEST

/* Records `count` requests that take between 1 and 2 ms, and notes a stall in which `waiting`
 * requests wait. */
static void add_stall(unsigned count, double stall_s, unsigned waiting)
{
    for (unsigned i = 0; i < count; i++)
        distribution_record(&response, NS_PER_MS + i % 1000 * NS_PER_US);
    for (unsigned i = 0; i < waiting; i++)
        distribution_record(&response, seconds_to_ns(stall_s * (i + 1) / waiting));
    silence[silences++] = (struct silence){seconds_to_ns(stall_s), waiting};
}

START_TEST(the_limit_follows_the_other_requests)
{
    silences = 0;
    distribution_init(&response);
    for (int i = 0; i < 4; i++)
        add_stall(2000, 0.4 + 0.1 * i, 500);
    ck_assert_int_eq(limit(), OUTAGE_FLOOR_NS);
    distribution_fini(&response);
}
END_TEST

START_TEST(a_run_of_few_requests_has_no_limit)
{
    silences = 0;
    distribution_init(&response);
    add_stall(15, 3, 4);
    ck_assert_int_eq(limit(), -1);
    distribution_fini(&response);
}
END_TEST

RUN_SUITE("outage_limit", 60, silences_of_queues_are_no_outages,
          the_limit_follows_the_other_requests, a_run_of_few_requests_has_no_limit)
