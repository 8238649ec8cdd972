/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums and figures of samples; sources that answer, fail, refuse, and never come back. */
#include "stats/probe.h"

#include <math.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "stats/probe_sums.h"

enum { REQUESTS, MISSES, LEVEL };

static const struct probe_series series[] = {
    {"requests_per_s", "requests", "requests", PROBE_RATE, REQUESTS, .line = {1, 1}},
    {"hit_pct", "hit", "hits", PROBE_REST, MISSES, REQUESTS, .line = {1, 1}},
    {"miss_pct", "miss", "hits", PROBE_SHARE, MISSES, REQUESTS, .line = {1, 1}},
    {"level_k", "level", "level", PROBE_LEVEL, LEVEL, .line = {1, 1}, .unit = 1000},
};
static const struct probe_work work[] = {{"requests", REQUESTS, 1}, {"misses_k", MISSES, 1000}};
static const struct probe_table table = {
    .series = series, .count = ARRAY_SIZE(series), .work = work, .works = ARRAY_SIZE(work)};

static void set(double *value, double requests, double misses, double level)
{
    for (unsigned i = 0; i < PROBE_VALUES; i++)
        value[i] = NAN;
    value[REQUESTS] = requests;
    value[MISSES] = misses;
    value[LEVEL] = level;
}

START_TEST(figures_of_samples)
{
    struct probe_sums sums = {0};
    double a[PROBE_VALUES], b[PROBE_VALUES], c[PROBE_VALUES], figure[PROBE_SERIES];
    set(a, 1000, 10, 7000);
    set(b, 3000, 110, 1000);
    set(c, 5000, 110, 3000);
    probe_sums_sample(&sums, a, NULL, 0, false);
    probe_sums_sample(&sums, b, a, NS_PER_SEC, true);
    probe_sums_sample(&sums, c, b, 3 * NS_PER_SEC, true);
    probe_sums_figures(&sums, &table, figure);
    ck_assert_uint_eq(sums.samples, 3);
    ck_assert_double_eq(figure[0], 1000); /* growth of 4000 in 4 s */
    ck_assert_double_eq(figure[1], 97.5); /* 100 of 4000 were misses */
    ck_assert_double_eq(figure[2], 2.5);
    ck_assert_double_eq(figure[3], 2); /* mean of the two samples under load, in thousands */
}
END_TEST

/* The source restarts between b and c. Unknown values stay unknown, and a share is not known if
 * nothing has grown. */
START_TEST(counters_may_restart)
{
    struct probe_sums sums = {0}, none = {0};
    double a[PROBE_VALUES], b[PROBE_VALUES], c[PROBE_VALUES], figure[PROBE_SERIES];
    set(a, 100, NAN, NAN);
    set(b, 300, NAN, NAN);
    set(c, 5, NAN, NAN);
    probe_sums_sample(&sums, b, a, NS_PER_SEC, true);
    probe_sums_sample(&sums, c, b, NS_PER_SEC, true);
    probe_sums_add(&sums, &none);
    probe_sums_figures(&sums, &table, figure);
    ck_assert_double_eq(figure[0], 200);
    ck_assert_double_nan(figure[1]);
    ck_assert_double_nan(figure[3]);
    probe_sums_figures(&none, &table, figure);
    ck_assert_double_nan(figure[0]);
}
END_TEST

/* A source that the test controls. */
struct puppet {
    atomic_int status; /* a value of enum probe_status */
    atomic_bool hang;
    sem_t release;
    double requests;
    atomic_int level;
    atomic_uint reads;
};

static enum probe_status read_puppet(void *self, double *value, char *error)
{
    struct puppet *p = self;
    if (atomic_load(&p->hang))
        sem_wait(&p->release);
    atomic_fetch_add(&p->reads, 1);
    p->requests += 100;
    set(value, p->requests, 0, atomic_load(&p->level));
    strcpy(error, "told to");
    return (enum probe_status)atomic_load(&p->status);
}

static void keep_puppet(void *self)
{
    (void)self;
}

static struct puppet puppet;
static struct probes *probes;
static struct probe_report report;

static void create_with(int64_t every_ns, struct probe_table with)
{
    struct probe_source source = {.name = "puppet",
                                  .where = "here",
                                  .table = with,
                                  .self = &puppet,
                                  .read = read_puppet,
                                  .destroy = keep_puppet};
    probes = probes_create(every_ns);
    probes_add(probes, &source);
}

static void create(int64_t every_ns)
{
    create_with(every_ns, table);
}

static void begin(void)
{
    log_set_verbosity(LOG_FATAL);
    puppet = (struct puppet){0};
    sem_init(&puppet.release, 0, 0);
    create(NS_PER_MS);
}

/* A thread that has had no processor for a while is not stuck, so stopping is repeated. */
static void stop(void)
{
    while (!probes_stop(probes))
        ;
}

static void end(void)
{
    sem_post(&puppet.release);
    stop();
    probes_destroy(probes);
    sem_destroy(&puppet.release);
}

static void wait_for_reads(unsigned more)
{
    unsigned from = atomic_load(&puppet.reads);
    while (atomic_load(&puppet.reads) < from + more)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
}

START_TEST(growth_and_checks_add_up)
{
    probes_start(probes);
    ck_assert_uint_eq(puppet.reads, 1);
    probes_begin(probes, clock_now_ns());
    wait_for_reads(3);
    probes_interval(probes, clock_now_ns(), &report);
    ck_assert_uint_ge(report.source[0].samples, 3);
    probes_finish(probes);
    stop();
    probes_total(probes, &report);
    ck_assert_uint_eq(report.source[0].samples, puppet.reads);
    ck_assert_double_eq(probes_growth(probes, 0, REQUESTS), 100.0 * (puppet.reads - 1));
    ck_assert_double_nan(probes_growth(probes, 0, LEVEL + 1));
    ck_assert_double_eq(probes_last(probes, 0, REQUESTS), 100.0 * puppet.reads);
    ck_assert_double_nan(probes_last(probes, 0, LEVEL + 1));
    ck_assert_ptr_null(probes_source(probes, 1));
}
END_TEST

START_TEST(a_failure_is_a_gap)
{
    probes_start(probes);
    probes_begin(probes, clock_now_ns());
    atomic_store(&puppet.status, PROBE_FAILED);
    wait_for_reads(3); /* the first may have begun before, and the last may not be stored yet */
    probes_interval(probes, clock_now_ns(), &report);
    ck_assert_int_gt(report.source[0].silent_ns, 0);
    ck_assert_str_eq(report.source[0].error, "told to");
    atomic_store(&puppet.status, PROBE_READ);
    wait_for_reads(3);
    probes_finish(probes);
    stop();
    probes_total(probes, &report);
    ck_assert_int_eq(report.source[0].silent_ns, 0);
    ck_assert_uint_ge(report.source[0].gaps, 1);
    ck_assert_double_nan(probes_growth(probes, 0, REQUESTS));
}
END_TEST

/* Makes the source fail and answer again, with enough reads for both to be noticed. */
static void make_a_gap(void)
{
    atomic_store(&puppet.status, PROBE_FAILED);
    wait_for_reads(2); /* the first may have begun before */
    atomic_store(&puppet.status, PROBE_READ);
    wait_for_reads(3); /* the last may not be stored yet */
}

/* Reports read the gaps without the lock while samples are still taken. */
START_TEST(gaps_do_not_change_after_the_total)
{
    probes_start(probes);
    probes_begin(probes, clock_now_ns());
    make_a_gap();
    probes_finish(probes);
    probes_total(probes, &report);
    const struct probe_figures first = report.source[0];
    ck_assert_uint_ge(first.gaps, 1);
    for (int i = 0; i < 3; i++)
        make_a_gap();
    probes_total(probes, &report);
    ck_assert_uint_eq(report.source[0].gaps, first.gaps);
    ck_assert_ptr_eq(report.source[0].gap, first.gap);
}
END_TEST

START_TEST(a_source_that_refuses_is_not_read_again)
{
    atomic_store(&puppet.status, PROBE_REFUSED);
    probes_start(probes);
    probes_begin(probes, clock_now_ns());
    clock_sleep_until_ns(clock_now_ns() + 20 * NS_PER_MS);
    probes_finish(probes);
    probes_total(probes, &report);
    ck_assert_uint_eq(puppet.reads, 1);
    ck_assert_uint_eq(report.source[0].samples, 0);
    ck_assert_uint_eq(report.source[0].gaps, 1);
}
END_TEST

/* The report must show the first missing sample a tenth of a second after it was due. The next
 * sample would be due 10 s later. */
START_TEST(an_interval_reports_a_missing_sample)
{
    stop();
    probes_destroy(probes);
    create(10 * NS_PER_SEC);
    probes_start(probes);
    atomic_store(&puppet.hang, true);
    probes_begin(probes, clock_now_ns() - 10 * NS_PER_SEC + 50 * NS_PER_MS);
    probes_interval(probes, clock_now_ns(), &report);
    clock_sleep_until_ns(clock_now_ns() + 50 * NS_PER_MS);
    probes_interval(probes, clock_now_ns(), &report);
    ck_assert_uint_eq(report.source[0].samples, 0);
    ck_assert_int_gt(report.source[0].silent_ns, 0);
}
END_TEST

/* Neither intervals nor the end of the run wait for the source: one hour of intervals takes less
 * than a minute. */
START_TEST(a_source_that_hangs_delays_nothing)
{
    probes_start(probes);
    probes_begin(probes, clock_now_ns());
    atomic_store(&puppet.hang, true);
    clock_sleep_until_ns(clock_now_ns() + 200 * NS_PER_MS);
    int64_t began_ns = clock_now_ns();
    for (unsigned i = 0; i < 3600; i++)
        probes_interval(probes, clock_now_ns(), &report);
    ck_assert_int_gt(report.source[0].silent_ns, 0);
    probes_finish(probes);
    ck_assert(!probes_stop(probes));
    ck_assert_int_lt(clock_now_ns() - began_ns, 60 * NS_PER_SEC);
}
END_TEST

static bool next_is_late(int level)
{
    atomic_store(&puppet.level, level);
    probes_finish(probes);
    probes_interval(probes, clock_now_ns(), &report);
    return report.source[0].late;
}

/* While sessions hold back their counts, and for 1.5 s after that, rates are late. With a period of
 * 1000 s, only the test takes samples. */
START_TEST(counts_that_are_held_back_are_late)
{
    stop();
    probes_destroy(probes);
    create_with(1000 * NS_PER_SEC,
                (struct probe_table){.series = series, .count = ARRAY_SIZE(series), .held = LEVEL});
    probes_start(probes);
    ck_assert(!next_is_late(0));
    ck_assert(next_is_late(1));
    ck_assert(next_is_late(0)); /* counts were held back at the previous sample */
    clock_sleep_until_ns(clock_now_ns() + 1600 * NS_PER_MS);
    next_is_late(0); /* the last sample may be older than 1.5 s or not */
    ck_assert(!next_is_late(0));
}
END_TEST

START_TEST(other_sources_are_never_late)
{
    probes_start(probes);
    ck_assert(!next_is_late(1));
}
END_TEST

START_TEST(probes_may_be_null)
{
    probes_start(NULL);
    probes_begin(NULL, 0);
    probes_finish(NULL);
    ck_assert(probes_stop(NULL));
    probes_destroy(NULL);
}
END_TEST

/* Two servers with the same table are one group; a replica with this table is in no group. */
START_TEST(work_of_a_request)
{
    struct puppet other = {0}, replica = {0};
    struct probe_source source = {.name = "puppet2",
                                  .table = table,
                                  .self = &other,
                                  .read = read_puppet,
                                  .destroy = keep_puppet};
    probes_add(probes, &source);
    source.self = &replica;
    source.role = PROBE_FOLLOWER;
    probes_add(probes, &source);
    probes_start(probes);
    probes_begin(probes, clock_now_ns());
    wait_for_reads(3);
    probes_finish(probes);
    stop();
    probes_work(probes, 50, &report);
    ck_assert_uint_eq(report.works, 1);
    ck_assert_uint_eq(report.requests, 50);
    ck_assert_str_eq(report.work[0].name, "puppet");
    /* The first sample of a puppet has 100 requests. */
    const double grown = puppet.requests - 100 + other.requests - 100;
    ck_assert_double_eq_tol(report.work[0].per_request[0], grown / 50, 1e-9);
    ck_assert_double_eq(report.work[0].per_request[1], 0);
    probes_work(probes, 0, &report);
    ck_assert_uint_eq(report.works, 0);
}
END_TEST

/* A source that has failed once may have restarted, so its growth is not known. */
START_TEST(work_of_a_source_that_failed)
{
    probes_start(probes);
    probes_begin(probes, clock_now_ns());
    atomic_store(&puppet.status, PROBE_FAILED);
    wait_for_reads(2);
    atomic_store(&puppet.status, PROBE_READ);
    wait_for_reads(2);
    probes_finish(probes);
    stop();
    probes_work(probes, 50, &report);
    ck_assert_uint_eq(report.works, 1);
    ck_assert_double_nan(report.work[0].per_request[0]);
}
END_TEST

RUN_SUITE_WITH("probe", 120, begin, end, figures_of_samples, counters_may_restart,
               work_of_a_request, work_of_a_source_that_failed, growth_and_checks_add_up,
               a_failure_is_a_gap, gaps_do_not_change_after_the_total,
               a_source_that_refuses_is_not_read_again, an_interval_reports_a_missing_sample,
               a_source_that_hangs_delays_nothing, counts_that_are_held_back_are_late,
               other_sources_are_never_late, probes_may_be_null)
