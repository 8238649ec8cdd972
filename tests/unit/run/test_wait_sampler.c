/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampler with a source whose answers the test chooses. */
#include "run/wait_sampler.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/util.h"

#define ALWAYS UINT_MAX

/* Answers of the source, and what it was asked. */
static struct {
    unsigned unknown;      /* the first answers of knows() are false */
    bool leaves;           /* the worker closes its session while knows() is asked */
    enum wait_status fail; /* status of samples that fail */
    unsigned failing;      /* the first samples fail */
    uint64_t blocker;      /* the session that blocks the worker */
    bool remarks;          /* something is not visible */
    bool connect_blocks, sample_blocks;
    atomic_uint opened, asked, samples, closed;
    atomic_bool blocked, released;
} source;

static struct settings settings;
static struct waits *waits;
static struct wait_sampler *sampler;
static int64_t serving_ns; /* start of the request of worker 0 */

static bool serving(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns)
{
    (void)arg;
    *arrival_ns = *start_ns = serving_ns;
    return worker == 0;
}

static void wait_for(const atomic_uint *count, unsigned least)
{
    while (atomic_load(count) < least)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
}

static void block(void)
{
    atomic_store(&source.blocked, true);
    while (!atomic_load(&source.released))
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
}

static unsigned hosts(void *server)
{
    (void)server;
    return 1;
}

static void *open_connection(void *server, unsigned host, char *failure, size_t bytes)
{
    (void)server, (void)host, (void)failure, (void)bytes;
    if (source.connect_blocks)
        block();
    atomic_fetch_add(&source.opened, 1);
    return &source;
}

static bool knows(void *connection, uint64_t session)
{
    (void)connection, (void)session;
    const unsigned number = atomic_fetch_add(&source.asked, 1);
    if (number == 0 && source.leaves) {
        waits_leave(waits, 0, &source);
        waits_join(waits, 0, &source, (struct wait_key){.session = 8});
    }
    return number >= source.unknown;
}

static enum wait_status sample(void *connection, wait_session_add *add, void *arg, char *failure,
                               size_t bytes)
{
    (void)connection;
    const struct wait_session session = {
        .id = 7, .activity = WAIT_FOR_EVENT, .event = "Lock:row", .blocker = source.blocker};
    const unsigned number = atomic_fetch_add(&source.samples, 1);
    if (source.sample_blocks && number > 0)
        block();
    if (number < source.failing || source.remarks)
        snprintf(failure, bytes, "sample %u", number);
    add(arg, &session);
    return number < source.failing ? source.fail : WAIT_SAMPLE_TAKEN;
}

static void close_connection(void *connection)
{
    (void)connection;
    atomic_fetch_add(&source.closed, 1);
}

static int64_t gap_ns(void *connection)
{
    (void)connection;
    return 0;
}

static const struct wait_source operations = {.hosts = hosts,
                                              .open = open_connection,
                                              .knows = knows,
                                              .sample = sample,
                                              .close = close_connection,
                                              .gap_ns = gap_ns};

static void before(void)
{
    settings = (struct settings){.threads = 1, .wait_events = 100, .rand.seed = 1};
    memset(&source, 0, sizeof(source));
    waits = waits_create(2);
    waits_set_serving(waits, serving, NULL);
    waits_join(waits, 0, &source, (struct wait_key){.session = 7});
    serving_ns = clock_now_ns();
}

static void after(void)
{
    while (!wait_sampler_stop(sampler))
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    wait_sampler_destroy(sampler);
    waits_destroy(waits);
}

static void start(void)
{
    sampler = wait_sampler_start(&settings, waits, &operations, NULL);
}

START_TEST(a_session_that_its_worker_closes_says_nothing_about_a_pooler)
{
    source.unknown = 1;
    source.leaves = true;
    start();
    wait_for(&source.samples, 3);
    ck_assert_uint_eq(source.asked, 2);
}
END_TEST

START_TEST(sessions_of_a_pooler_are_not_sampled)
{
    source.unknown = ALWAYS;
    start();
    wait_for(&source.closed, 1);
    ck_assert_uint_eq(source.asked, 1);
    ck_assert_uint_eq(source.samples, 0);
}
END_TEST

START_TEST(a_failed_statement_does_not_end_the_sampling)
{
    source.fail = WAIT_SAMPLE_FAILED;
    source.failing = 2;
    start();
    wait_for(&source.samples, 5);
    ck_assert_uint_eq(source.opened, 1);
    ck_assert_uint_eq(source.closed, 0);
}
END_TEST

START_TEST(three_failed_statements_end_the_sampling)
{
    source.fail = WAIT_SAMPLE_FAILED;
    source.failing = ALWAYS;
    start();
    wait_for(&source.closed, 1);
    ck_assert_uint_eq(source.samples, 3);
}
END_TEST

START_TEST(a_refusal_ends_the_sampling)
{
    source.fail = WAIT_SAMPLE_REFUSED;
    source.failing = ALWAYS;
    start();
    wait_for(&source.closed, 1);
    ck_assert(wait_sampler_stop(sampler));
    ck_assert_uint_eq(source.samples, 1);
}
END_TEST

START_TEST(a_lost_connection_is_opened_again)
{
    source.fail = WAIT_SAMPLE_LOST;
    source.failing = 1;
    start();
    wait_for(&source.samples, 3);
    ck_assert_uint_eq(source.opened, 2);
}
END_TEST

/* If the start waited for the connection, the release would never happen. */
START_TEST(the_start_does_not_wait_for_a_connection)
{
    source.connect_blocks = true;
    start();
    atomic_store(&source.released, true);
    wait_for(&source.samples, 1);
}
END_TEST

static double silent_weight(void)
{
    struct wait_totals *totals = xcalloc(1, sizeof(*totals));
    double sum = 0;
    waits_total(waits, totals);
    for (unsigned b = 0; b < WAIT_BUCKETS; b++)
        sum += totals->cell[b][WAIT_LABEL_SILENT].weight;
    free(totals);
    return sum;
}

/* The request has lasted for an hour, so the time until the stop is within it. */
START_TEST(a_server_that_is_frozen_until_the_end_did_not_answer)
{
    serving_ns -= 3600 * NS_PER_SEC;
    source.sample_blocks = true;
    start();
    wait_for(&source.samples, 2);
    clock_sleep_until_ns(clock_now_ns() + 100 * NS_PER_MS);
    ck_assert(!wait_sampler_stop(sampler));
    ck_assert(!wait_sampler_stop(sampler)); /* counts nothing twice */
    const struct wait_request request = {.arrival_ns = serving_ns,
                                         .start_ns = serving_ns,
                                         .end_ns = clock_now_ns(),
                                         .measured = true};
    waits_end(waits, 0, &request);
    const double weight = silent_weight();
    ck_assert_double_ge(weight, 80.0 * NS_PER_MS);
    atomic_store(&source.released, true);
    while (!wait_sampler_stop(sampler))
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    ck_assert_double_eq(silent_weight(), weight); /* the late answer is ignored */
}
END_TEST

/* The silence of a server counts while it lasts, for the intervals of the run, and only once. */
START_TEST(a_frozen_server_counts_until_now)
{
    struct wait_moment now;
    const int64_t begun_ns = clock_now_ns();
    source.sample_blocks = true;
    start();
    wait_for(&source.samples, 2);
    clock_sleep_until_ns(clock_now_ns() + 600 * NS_PER_MS);
    for (int i = 0; i < 2; i++) {
        wait_sampler_moment(sampler, &now);
        const double silent_ns = now.sums.weight_ns[WAIT_LABEL_SILENT];
        ck_assert_double_ge(silent_ns, 500.0 * NS_PER_MS);
        ck_assert_double_le(silent_ns, (double)(clock_now_ns() - begun_ns));
    }
    atomic_store(&source.released, true);
    wait_for(&source.samples, 3);
    wait_sampler_moment(sampler, &now);
    ck_assert_double_le(now.sums.weight_ns[WAIT_LABEL_SILENT], (double)(clock_now_ns() - begun_ns));
}
END_TEST

/* Times before the start of the sampler must not count as absence. The request has lasted for an
 * hour, and the system may have run for weeks. */
START_TEST(only_time_since_the_start_can_be_absence)
{
    struct wait_moment now;
    const int64_t begun_ns = clock_now_ns();
    serving_ns -= 3600 * NS_PER_SEC;
    start();
    wait_for(&source.samples, 5);
    wait_sampler_moment(sampler, &now);
    ck_assert_double_le(now.sums.weight_ns[WAIT_LABEL_ABSENT], (double)(clock_now_ns() - begun_ns));
}
END_TEST

static void end_short_request(void)
{
    const int64_t now_ns = clock_now_ns();
    const struct wait_request request = {
        .arrival_ns = now_ns - NS_PER_MS, .start_ns = now_ns - NS_PER_MS, .end_ns = now_ns};
    waits_end(waits, 1, &request);
}

/* Samples stand for 1 s each. After one second the limit is known, and the request of worker 0 is
 * slow: from then on they stand for 0.1 s. The 21 samples would stand for 21 s without the trigger.
 * With the trigger they stand for 12 s or more only if 11 of them come in the first second, in
 * which one is expected: the probability is 10⁻⁸. */
START_TEST(a_slow_request_raises_the_rate)
{
    struct wait_moment now;
    double weight_ns = 0;
    settings.wait_events = 1;
    serving_ns -= 3600 * NS_PER_SEC;
    for (unsigned i = 0; i < 20; i++)
        end_short_request();
    start();
    while (atomic_load(&source.samples) < 22) {
        end_short_request();
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    }
    wait_sampler_moment(sampler, &now);
    for (unsigned i = WAIT_LABELS_FIXED; i < WAIT_LABELS; i++)
        weight_ns += now.sums.weight_ns[i];
    ck_assert_double_lt(weight_ns, 12.0 * NS_PER_SEC);
}
END_TEST

static struct wait_shares *shares_of(struct wait_sampler *of)
{
    struct wait_record *record = wait_sampler_record(of, 1);
    struct wait_shares *shares = wait_record_shares(record);
    wait_record_free(record);
    return shares;
}

START_TEST(reasons_are_noted_once)
{
    source.remarks = true;
    start();
    wait_for(&source.samples, 3);
    ck_assert(wait_sampler_stop(sampler));
    struct wait_shares *shares = shares_of(sampler);
    ck_assert_uint_eq(shares->notes, 1);
    ck_assert_str_eq(shares->note[0], "sample 0");
    free(shares);
}
END_TEST

/* Without any sample, the reason is all that a report can say. */
START_TEST(a_refusal_is_noted)
{
    source.fail = WAIT_SAMPLE_REFUSED;
    source.failing = ALWAYS;
    start();
    wait_for(&source.closed, 1);
    ck_assert(wait_sampler_stop(sampler));
    struct wait_shares *shares = shares_of(sampler);
    ck_assert_uint_eq(shares->statements, 0);
    ck_assert_uint_eq(shares->notes, 1);
    free(shares);
}
END_TEST

/* Session 9 blocks the worker. It belongs to an executor of deferred work, which has slot 1. */
START_TEST(executors_of_deferred_work_are_not_strangers)
{
    source.blocker = 9;
    waits_join(waits, 1, &source, (struct wait_key){.session = 9});
    start();
    wait_for(&source.samples, 3);
    ck_assert(wait_sampler_stop(sampler));
    const struct wait_request request = {.arrival_ns = serving_ns,
                                         .start_ns = serving_ns,
                                         .end_ns = clock_now_ns(),
                                         .measured = true};
    waits_end(waits, 0, &request);
    struct wait_shares *shares = shares_of(sampler);
    ck_assert_uint_eq(shares->names.strangers, 0);
    free(shares);
}
END_TEST

RUN_SUITE_WITH("wait_sampler", 60, before, after,
               a_session_that_its_worker_closes_says_nothing_about_a_pooler,
               sessions_of_a_pooler_are_not_sampled, a_failed_statement_does_not_end_the_sampling,
               three_failed_statements_end_the_sampling, a_refusal_ends_the_sampling,
               a_lost_connection_is_opened_again, the_start_does_not_wait_for_a_connection,
               a_server_that_is_frozen_until_the_end_did_not_answer,
               a_frozen_server_counts_until_now, only_time_since_the_start_can_be_absence,
               a_slow_request_raises_the_rate, reasons_are_noted_once, a_refusal_is_noted,
               executors_of_deferred_work_are_not_strangers)
