/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the generator with a queue that no worker empties. */
#include "engine/generator.h"

#include <semaphore.h>

#include "../statistics.h"
#include "../suite.h"
#include "base/clock.h"
#include "stats/snapshot.h"

struct fixture {
    struct settings settings;
    struct queue *queue;
    struct stats *stats;
    sem_t ended;
    struct generator_plan plan;
};

static void note_end(void *arg)
{
    sem_post(arg);
}

static void setup(struct fixture *f, uint32_t size, const char *rate)
{
    f->queue = queue_create(size);
    f->stats = stats_create(1, true);
    sem_init(&f->ended, 0, 0);
    int64_t now_ns = clock_now_ns();
    f->plan = (struct generator_plan){.queue = f->queue,
                                      .stats = f->stats,
                                      .start_ns = now_ns,
                                      .measure_ns = now_ns,
                                      .end_ns = INT64_MAX,
                                      .notify = note_end,
                                      .arg = &f->ended};
    f->settings = (struct settings){.rand.seed = 17, .arrivals.kind = ARRIVAL_POISSON};
    ck_assert_ptr_null(rate_profile_parse(&f->settings.arrivals.profile, rate));
    f->plan.settings = &f->settings;
    arrival_init(&f->plan.process, &f->settings);
}

static void forget(struct fixture *f)
{
    arrival_plan_fini(&f->settings.arrivals);
    sem_destroy(&f->ended);
    queue_destroy(f->queue);
    stats_destroy(f->stats);
}

static void teardown(struct fixture *f, struct generator *g)
{
    generator_join(g);
    generator_destroy(g);
    forget(f);
}

START_TEST(requests_carry_their_scheduled_times)
{
    struct fixture f;
    struct request request;
    setup(&f, 1000, "20000");
    f.plan.events = 500;
    f.plan.drain = true;
    f.plan.end_ns = f.plan.start_ns + 200 * NS_PER_MS;
    struct generator *g = generator_start(&f.plan);
    sem_wait(&f.ended);
    struct arrival again;
    arrival_init(&again, &f.settings);
    for (int i = 0; i < 500; i++) {
        ck_assert(queue_remove(f.queue, &request));
        ck_assert_int_eq(request.arrival_ns, f.plan.start_ns + arrival_next(&again));
    }
    ck_assert(!queue_remove(f.queue, &request));
    teardown(&f, g);
}
END_TEST

START_TEST(a_late_start_enqueues_the_backlog_with_its_own_times)
{
    struct fixture f;
    struct snapshot s;
    struct request first;
    snapshot_init(&s);
    setup(&f, 10000, "1000");
    f.plan.start_ns -= 2 * NS_PER_SEC; /* as if the process had been frozen for 2 s */
    f.plan.end_ns = clock_now_ns() + 1;
    f.plan.measure_ns = f.plan.start_ns;
    struct generator *g = generator_start(&f.plan);
    sem_wait(&f.ended);
    stats_drain(f.stats, PHASE_MEASURED, &s);
    ck_assert_double_eq_tol((double)s.offered, 2000, SIGMAS * sqrt(2000));
    ck_assert_uint_eq(queue_length(f.queue), s.offered);
    ck_assert(queue_remove(f.queue, &first));
    ck_assert_int_lt(first.arrival_ns, f.plan.start_ns + 50 * NS_PER_MS);
    ck_assert_int_gt(s.lag.max_ns, 1900 * NS_PER_MS);
    snapshot_fini(&s);
    teardown(&f, g);
}
END_TEST

START_TEST(a_full_queue_ends_the_run_with_one_dropped_request)
{
    struct fixture f;
    struct snapshot s;
    size_t groups;
    snapshot_init(&s);
    setup(&f, 10, "1e6");
    struct generator *g = generator_start(&f.plan);
    sem_wait(&f.ended);
    ck_assert(generator_overflowed(g));
    stats_drain(f.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.offered, 11);
    ck_assert_uint_eq(s.dropped, 1);
    const struct drop_group *drops = generator_drops(g, &groups);
    ck_assert_uint_eq(groups, 1);
    ck_assert_uint_eq(drops[0].count, 1);
    snapshot_fini(&s);
    teardown(&f, g);
}
END_TEST

START_TEST(with_drop_the_generator_continues_and_counts)
{
    struct fixture f;
    struct snapshot s;
    size_t groups;
    snapshot_init(&s);
    setup(&f, 10, "1e5");
    f.plan.drop = true;
    f.plan.events = 5000;
    f.plan.end_ns = f.plan.start_ns + 200 * NS_PER_MS;
    struct generator *g = generator_start(&f.plan);
    sem_wait(&f.ended);
    stats_drain(f.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.offered, 5000);
    ck_assert_uint_eq(s.dropped, 4990);
    uint64_t grouped = 0;
    const struct drop_group *drops = generator_drops(g, &groups);
    for (size_t i = 0; i < groups; i++)
        grouped += drops[i].count;
    ck_assert_uint_eq(grouped, 4990);
    ck_assert_uint_lt(groups, 100); /* 50 ms of drops, in groups of 1 ms */
    snapshot_fini(&s);
    teardown(&f, g);
}
END_TEST

/* Generates five requests; the run then lasts until its time is up. */
static void feed_five(struct fixture *f, bool drain)
{
    setup(f, 10, "1e5");
    f->plan.events = 5;
    f->plan.drain = drain;
    f->plan.end_ns = f->plan.start_ns + 20 * NS_PER_MS;
    struct generator *g = generator_start(&f->plan);
    sem_wait(&f->ended);
    generator_join(g);
    generator_destroy(g);
}

START_TEST(at_the_end_queued_requests_stay_unfinished)
{
    struct fixture f;
    struct request request;
    bool slept;
    feed_five(&f, false);
    ck_assert(!queue_take(f.queue, INT64_MAX, &request, &slept));
    ck_assert_uint_eq(queue_length(f.queue), 5);
    forget(&f);
}
END_TEST

START_TEST(with_drain_queued_requests_are_still_taken)
{
    struct fixture f;
    struct request request;
    bool slept;
    feed_five(&f, true);
    for (int i = 0; i < 5; i++)
        ck_assert(queue_take(f.queue, INT64_MAX, &request, &slept));
    ck_assert(!queue_take(f.queue, INT64_MAX, &request, &slept));
    forget(&f);
}
END_TEST

START_TEST(the_queue_is_sealed_after_the_last_arrival)
{
    struct fixture f;
    struct request request;
    bool slept;
    setup(&f, 10, "1e5");
    f.plan.events = 5;
    struct generator *g = generator_start(&f.plan);
    /* The run has no end time, but queue_take() returns false after the last request. */
    for (int i = 0; i < 5; i++)
        ck_assert(queue_take(f.queue, INT64_MAX, &request, &slept));
    ck_assert(!queue_take(f.queue, INT64_MAX, &request, &slept));
    generator_stop(g);
    teardown(&f, g);
}
END_TEST

START_TEST(stop_ends_a_long_sleep)
{
    struct fixture f;
    setup(&f, 10, "1e-6");
    int64_t before_ns = clock_now_ns();
    struct generator *g = generator_start(&f.plan);
    generator_stop(g);
    teardown(&f, g);
    ck_assert_int_lt(clock_now_ns() - before_ns, 5 * NS_PER_SEC);
}
END_TEST

/* Checks that requests which were due before the stop are put, even if the generator is late, and
 * that later ones are not. */
static void check_stop_while_late(enum arrival_wait wait)
{
    struct fixture f;
    struct request request;
    setup(&f, 100000, "1000");
    f.settings.arrivals.kind = ARRIVAL_CONSTANT;
    f.settings.arrivals.wait = wait;
    arrival_init(&f.plan.process, &f.settings);
    f.plan.start_ns -= 20 * NS_PER_SEC;
    struct generator *g = generator_start(&f.plan);
    int64_t asked_ns = clock_now_ns();
    generator_stop(g);
    generator_join(g);
    int64_t end_ns = generator_end_ns(g), last_ns = 0;
    ck_assert_int_ge(end_ns, asked_ns);
    ck_assert_int_le(end_ns, clock_now_ns());
    while (queue_remove(f.queue, &request))
        last_ns = request.arrival_ns;
    ck_assert_int_lt(last_ns, end_ns);
    ck_assert_int_ge(last_ns, end_ns - NS_PER_MS);
    generator_destroy(g);
    forget(&f);
}

START_TEST(no_arrival_after_a_stop)
{
    check_stop_while_late(ARRIVAL_WAIT_SLEEP);
    check_stop_while_late(ARRIVAL_WAIT_SPIN);
    check_stop_while_late(ARRIVAL_WAIT_AUTO);
}
END_TEST

/* Evenly spaced arrivals that are put ahead of time; no worker takes them. */
static void setup_ahead(struct fixture *f, uint32_t size, const char *rate)
{
    setup(f, size, rate);
    f->settings.arrivals.kind = ARRIVAL_CONSTANT;
    f->settings.arrivals.wait = ARRIVAL_WAIT_SLEEP;
    f->settings.threads = 4;
    arrival_init(&f->plan.process, &f->settings);
}

START_TEST(requests_put_ahead_have_not_arrived)
{
    struct fixture f;
    struct snapshot s;
    snapshot_init(&s);
    setup_ahead(&f, 1000, "100");
    struct generator *g = generator_start(&f.plan);
    while (generator_settle(g) == 0)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    clock_sleep_until_ns(f.plan.start_ns + 100 * NS_PER_MS);
    generator_settle(g);
    int64_t now_ns = clock_now_ns();
    stats_drain(f.stats, PHASE_MEASURED, &s);
    ck_assert_int_ge((int64_t)s.offered, 10);
    ck_assert_int_le((int64_t)s.offered, (now_ns - f.plan.start_ns) / (10 * NS_PER_MS));
    generator_stop(g);
    snapshot_fini(&s);
    teardown(&f, g);
}
END_TEST

START_TEST(a_stop_revokes_requests_put_ahead)
{
    struct fixture f;
    struct snapshot s;
    struct request request;
    snapshot_init(&s);
    setup_ahead(&f, 1000, "1000");
    struct generator *g = generator_start(&f.plan);
    clock_sleep_until_ns(f.plan.start_ns + 30 * NS_PER_MS);
    generator_stop(g);
    generator_join(g);
    generator_close(g);
    uint64_t left = 0;
    int64_t last_ns = 0;
    for (; queue_remove(f.queue, &request); left++)
        last_ns = request.arrival_ns;
    stats_drain(f.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(left, s.offered);
    ck_assert_uint_eq(s.lag.count, s.offered);
    ck_assert_int_le(last_ns, generator_end_ns(g));
    ck_assert_int_gt(last_ns, generator_end_ns(g) - 2 * NS_PER_MS);
    snapshot_fini(&s);
    generator_destroy(g);
    forget(&f);
}
END_TEST

START_TEST(requests_put_ahead_do_not_change_the_queue_size)
{
    struct fixture f;
    struct snapshot s;
    snapshot_init(&s);
    setup_ahead(&f, 5, "1000");
    struct generator *g = generator_start(&f.plan);
    sem_wait(&f.ended);
    ck_assert(generator_overflowed(g));
    generator_close(g);
    stats_drain(f.stats, PHASE_MEASURED, &s);
    ck_assert_uint_eq(s.offered, 6);
    ck_assert_uint_eq(s.dropped, 1);
    ck_assert_int_eq(generator_end_ns(g), f.plan.start_ns + 6 * NS_PER_MS);
    ck_assert_int_ge(clock_now_ns(), generator_end_ns(g));
    snapshot_fini(&s);
    teardown(&f, g);
}
END_TEST

RUN_SUITE("generator", 60, requests_carry_their_scheduled_times,
          a_late_start_enqueues_the_backlog_with_its_own_times,
          a_full_queue_ends_the_run_with_one_dropped_request,
          with_drop_the_generator_continues_and_counts, at_the_end_queued_requests_stay_unfinished,
          with_drain_queued_requests_are_still_taken, the_queue_is_sealed_after_the_last_arrival,
          stop_ends_a_long_sleep, no_arrival_after_a_stop, requests_put_ahead_have_not_arrived,
          a_stop_revokes_requests_put_ahead, requests_put_ahead_do_not_change_the_queue_size)
