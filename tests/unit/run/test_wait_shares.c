/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of waits against known answers: 100 simulated runs, in which requests have phases with
 * labels and the sampler works as in a run, with its schedule, its trigger and its join. Time is
 * simulated, so that the results depend on the seeds only.
 */
#include "result/waits/wait_shares.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "../suite.h"
#include "base/rand_stream.h"
#include "base/util.h"
#include "run/wait_schedule.h"

#define WORKERS 8
#define RUN_NS (60 * NS_PER_SEC)
#define SEEDS 100
#define REQUESTS 40000
#define PER_SECOND 10

/* Each request has a phase of 1 ms on average, and one of 20 requests another phase of 20 ms. */
enum { IO, LOCK, PHASES_COUNT };

struct simulated {
    int64_t start_ns, end_ns, phase_ns[PHASES_COUNT];
};

static struct {
    struct simulated request[WORKERS][REQUESTS];
    unsigned count[WORKERS], ended[WORKERS];
    int64_t now_ns;
    struct waits *waits;
    struct wait_schedule schedule;
    int64_t slow_ns, slow_known_ns, look_ns;
    unsigned wakes, samples; /* of the sampler */
} sim;

static void draw_worker(struct rand_stream *stream, unsigned worker)
{
    unsigned n = 0;
    for (int64_t at_ns = NS_PER_MS; at_ns < RUN_NS && n < REQUESTS; n++) {
        struct simulated *r = &sim.request[worker][n];
        at_ns += (int64_t)(rand_stream_exponential(stream) * 20 * NS_PER_MS) + 1;
        r->start_ns = at_ns;
        r->phase_ns[IO] = (int64_t)(rand_stream_exponential(stream) * NS_PER_MS) + 1;
        r->phase_ns[LOCK] = 0;
        if (rand_stream_double(stream) < 0.05)
            r->phase_ns[LOCK] = (int64_t)(rand_stream_exponential(stream) * 20 * NS_PER_MS) + 1;
        r->end_ns = at_ns += r->phase_ns[IO] + r->phase_ns[LOCK];
    }
    sim.count[worker] = n;
    sim.ended[worker] = 0;
}

static const struct simulated *current(unsigned worker)
{
    return sim.ended[worker] < sim.count[worker] ? &sim.request[worker][sim.ended[worker]] : NULL;
}

static bool serving(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns)
{
    (void)arg;
    const struct simulated *r = current(worker);
    if (r == NULL || r->start_ns > sim.now_ns)
        return false;
    *arrival_ns = *start_ns = r->start_ns;
    return true;
}

/* Looks for slow requests, as a worker does after its request, or the sampler. */
static void look(void *arg, unsigned worker, int64_t now_ns)
{
    (void)arg;
    const int64_t calm_ns = waits_oldest_start_ns(sim.waits, worker, now_ns) + sim.slow_ns;
    wait_schedule_set(&sim.schedule, now_ns, calm_ns <= now_ns);
    sim.look_ns = wait_schedule_look_ns(now_ns, calm_ns, wait_schedule_late_ns(PER_SECOND));
    waits_look_from(sim.waits, sim.look_ns);
}

/* Returns the worker whose request ends next. */
static unsigned next_worker(void)
{
    unsigned next = 0;
    for (unsigned w = 1; w < WORKERS; w++)
        if (current(w) != NULL &&
            (current(next) == NULL || current(w)->end_ns < current(next)->end_ns))
            next = w;
    return next;
}

/* Ends the next request if it ends at `until_ns` or earlier. */
static bool end_request(int64_t until_ns)
{
    const unsigned worker = next_worker();
    const struct simulated *r = current(worker);
    if (r == NULL || r->end_ns > until_ns)
        return false;
    const struct wait_request request = {
        .arrival_ns = r->start_ns, .start_ns = r->start_ns, .end_ns = r->end_ns, .measured = true};
    sim.now_ns = r->end_ns;
    waits_end(sim.waits, worker, &request);
    sim.ended[worker]++;
    return true;
}

static void sample_worker(unsigned worker, int64_t at_ns, double weight_ns)
{
    const struct simulated *r = current(worker);
    if (r == NULL || r->start_ns > at_ns)
        return;
    const struct wait_sample sample = {.at_ns = at_ns,
                                       .label = WAIT_LABELS_FIXED +
                                                (at_ns - r->start_ns < r->phase_ns[IO] ? IO : LOCK),
                                       .group = WAIT_NO_GROUP,
                                       .weight_ns = weight_ns};
    waits_sample(sim.waits, worker, &sample);
}

/* Does what the sampler does when it wakes up, except for the wake-up once per second that only
 * updates the limit. */
static void wake_up(int64_t at_ns)
{
    sim.now_ns = at_ns;
    sim.wakes++;
    if (at_ns - sim.slow_known_ns > NS_PER_SEC) {
        sim.slow_ns = 2 * waits_service_percentile(sim.waits, 95 * PERCENT, 1);
        sim.slow_known_ns = at_ns;
    }
    if (at_ns >= sim.schedule.next_ns) {
        sim.samples++;
        for (unsigned w = 0; w < WORKERS; w++)
            sample_worker(w, at_ns, wait_schedule_mean_ns(&sim.schedule));
        wait_schedule_draw(&sim.schedule, at_ns, false);
    }
    look(NULL, UINT_MAX, at_ns);
}

static int64_t sampler_due_ns(void)
{
    return wait_schedule_due_ns(&sim.schedule, sim.look_ns, wait_schedule_late_ns(PER_SECOND));
}

/* Executes a run. Returns its shares, to be freed. */
static struct wait_shares *simulate(uint64_t seed)
{
    struct rand_stream stream;
    struct waits *waits = sim.waits = waits_create(WORKERS);
    sim.slow_ns = INT64_MAX / 2;
    sim.slow_known_ns = 0;
    rand_stream_init(&stream, seed, RAND_SERVICE, 0);
    wait_schedule_init(&sim.schedule, PER_SECOND, seed, 0);
    wait_schedule_draw(&sim.schedule, 0, false);
    waits_set_serving(waits, serving, NULL);
    waits_set_look(waits, look, NULL);
    for (unsigned w = 0; w < WORKERS; w++)
        draw_worker(&stream, w);
    look(NULL, UINT_MAX, 0);
    for (int64_t due_ns; (due_ns = sampler_due_ns()) < RUN_NS;)
        if (!end_request(due_ns))
            wake_up(due_ns);
    waits_look_from(waits, INT64_MAX);
    while (end_request(INT64_MAX))
        ;
    struct wait_names names;
    wait_names_init(&names);
    ck_assert_uint_eq(wait_names_label(&names, "io"), WAIT_LABELS_FIXED + IO);
    ck_assert_uint_eq(wait_names_label(&names, "Lock:row"), WAIT_LABELS_FIXED + LOCK);
    struct wait_totals *totals = xcalloc(1, sizeof(*totals));
    waits_total(waits, totals);
    ck_assert_uint_eq(totals->unmatched, 0);
    struct wait_shares *shares = wait_shares_of(totals, &names, ns_to_seconds(RUN_NS));
    free(totals);
    waits_destroy(waits);
    return shares;
}

static int descending(const void *a, const void *b)
{
    const struct simulated *x = a, *y = b;
    const int64_t s = x->end_ns - x->start_ns, t = y->end_ns - y->start_ns;
    return s < t ? 1 : s > t ? -1 : 0;
}

/* Returns the true share of LOCK in the response time of the requests above a percentile. */
static double true_share(double percentile)
{
    static struct simulated all[WORKERS * REQUESTS];
    size_t count = 0;
    for (unsigned w = 0; w < WORKERS; w++)
        for (unsigned i = 0; i < sim.count[w]; i++)
            all[count++] = sim.request[w][i];
    qsort(all, count, sizeof(all[0]), descending);
    const size_t above = (size_t)((double)count * (100 - percentile) / 100);
    double sum[PHASES_COUNT] = {0};
    for (size_t i = 0; i < above; i++)
        for (unsigned p = 0; p < PHASES_COUNT; p++)
            sum[p] += (double)all[i].phase_ns[p];
    return sum[LOCK] / (sum[IO] + sum[LOCK]);
}

static struct wait_share share_of_lock(const struct wait_shares *shares, unsigned column)
{
    for (unsigned i = 0; i < shares->rows; i++)
        if (strcmp(shares->row[i].event, "Lock:row") == 0)
            return shares->row[i].in[column];
    return (struct wait_share){0, 0};
}

/*
 * The stated errors are half of 95 % intervals. They contain two causes: which requests the run
 * happens to have, and at which times samples are taken. The true share of the same run differs
 * from the estimate only by the latter, so more than 95 % of the intervals contain it. The seeds
 * are fixed.
 */
START_TEST(shares_are_within_the_stated_errors)
{
    static const double percentile[WAIT_COLUMNS] = {0, 50, 95, 99};
    unsigned within[WAIT_COLUMNS] = {0};
    double bias[WAIT_COLUMNS] = {0}, error[WAIT_COLUMNS] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct wait_shares *shares = simulate(seed);
        for (unsigned c = 0; c < WAIT_COLUMNS; c++) {
            ck_assert(shares->column[c].divided);
            const struct wait_share lock = share_of_lock(shares, c);
            const double off = lock.share - true_share(percentile[c]);
            within[c] += fabs(off) <= lock.error;
            bias[c] += off / SEEDS;
            error[c] += lock.error / SEEDS;
        }
        free(shares);
    }
    for (unsigned c = 0; c < WAIT_COLUMNS; c++) {
        printf("above p%g: within %u of %u, mean deviation %.4f, mean error %.4f\n", percentile[c],
               within[c], SEEDS, bias[c], error[c]);
        ck_assert_uint_ge(within[c], 95);
        /* 95 % of the 100 deviations are below `error`, so their mean is within a fifth of `error`,
         * which is 4 standard errors of the mean. */
        ck_assert_double_le(fabs(bias[c]), error[c] / 5);
    }
}
END_TEST

/* With weights that ignore the trigger, locks, during which samples are taken more often, would
 * count too much. */
START_TEST(triggered_samples_are_more_and_weigh_less)
{
    struct wait_schedule schedule;
    unsigned samples[2] = {0, 0};
    wait_schedule_init(&schedule, PER_SECOND, 1, 0);
    for (unsigned triggered = 0; triggered < 2; triggered++) {
        int64_t at_ns = 0;
        for (; at_ns < 100 * NS_PER_SEC; at_ns = schedule.next_ns, samples[triggered]++)
            wait_schedule_draw(&schedule, at_ns, triggered);
        ck_assert_double_eq_tol(wait_schedule_mean_ns(&schedule),
                                (triggered ? 10.0 : 100.0) * NS_PER_MS, 1);
    }
    /* 1000 and 10000 are expected, with standard deviations of 32 and 100. */
    ck_assert_uint_gt(samples[0], 1000 - 130);
    ck_assert_uint_lt(samples[0], 1000 + 130);
    ck_assert_uint_gt(samples[1], 10000 - 410);
    ck_assert_uint_lt(samples[1], 10000 + 410);
}
END_TEST

START_TEST(a_change_of_the_rate_redraws_the_next_sample)
{
    struct wait_schedule schedule;
    wait_schedule_init(&schedule, PER_SECOND, 1, 0);
    wait_schedule_draw(&schedule, 0, false);
    const int64_t first_ns = schedule.next_ns;
    wait_schedule_set(&schedule, 500, false);
    ck_assert_int_eq(schedule.next_ns, first_ns);
    wait_schedule_set(&schedule, 500, true);
    ck_assert_int_ne(schedule.next_ns, first_ns);
    ck_assert_int_gt(schedule.next_ns, 500);
    /* A sample that is due is not redrawn. */
    const int64_t due_ns = schedule.next_ns;
    wait_schedule_set(&schedule, due_ns, false);
    ck_assert_int_eq(schedule.next_ns, due_ns);
    ck_assert_double_eq(wait_schedule_mean_ns(&schedule), schedule.fast_ns);
    /* A change within the gap after a sample does not shorten the gap. */
    wait_schedule_draw(&schedule, NS_PER_SEC, true);
    wait_schedule_set(&schedule, 500, false);
    ck_assert_int_gt(schedule.next_ns, NS_PER_SEC);
}
END_TEST

/* There are 350 ends of requests per second, so a worker nearly always looks before the sampler
 * would have to. */
START_TEST(the_sampler_seldom_wakes_up_between_samples)
{
    sim.wakes = sim.samples = 0;
    free(simulate(1));
    printf("wakes up %u times for %u samples\n", sim.wakes, sim.samples);
    ck_assert_uint_gt(sim.samples, 60 * PER_SECOND);
    ck_assert_uint_lt(sim.wakes, sim.samples + sim.samples / 10);
}
END_TEST

/* If a server refreshes its answers only every 105 ms, the gaps between samples are longer than
 * that. The rate asked for is kept if this is possible. */
START_TEST(a_gap_counts_as_part_of_the_time_between_samples)
{
    struct wait_schedule schedule;
    wait_schedule_init(&schedule, 2, 1, 0);
    wait_schedule_set_gap(&schedule, 2, 105 * NS_PER_MS);
    ck_assert_double_eq_tol(schedule.slow_ns, 395.0 * NS_PER_MS, 1);
    ck_assert_double_eq_tol(schedule.fast_ns, 5.0 * NS_PER_MS, 1);
}
END_TEST

static int64_t served_from_ns;

static bool serving_one(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns)
{
    (void)arg;
    (void)worker;
    *arrival_ns = *start_ns = served_from_ns;
    return true;
}

static int64_t locked_ns; /* time in each request that the driver reports as a wait for a lock */
static bool many_blockers;

/* Makes the sample one of a lock on a row. Nine sessions hold a lock once, one after the other; a
 * tenth holds it all the time from then on. */
static void block(struct wait_names *names, struct wait_sample *sample, unsigned request)
{
    const struct wait_detail detail = {.label = wait_names_label(names, "Lock:row"),
                                       .blocker = WAIT_BY_STRANGER + (request < 9 ? request : 9)};
    sample->label = detail.label;
    sample->group = WAIT_LABEL_LOCKS;
    sample->detail = wait_names_detail(names, &detail);
}

/* Returns the shares of requests that have waited for 1 ms and been in service for 3 ms. */
static struct wait_shares *shares_of_few(unsigned requests, unsigned samples_each)
{
    struct wait_names names;
    struct wait_totals *totals = xcalloc(1, sizeof(*totals));
    struct waits *waits = waits_create(1);
    wait_names_init(&names);
    waits_set_serving(waits, serving_one, NULL);
    for (unsigned i = 0; i < requests; i++) {
        const int64_t start_ns = (int64_t)(i + 1) * NS_PER_SEC;
        const struct wait_request request = {.arrival_ns = start_ns - NS_PER_MS,
                                             .start_ns = start_ns,
                                             .end_ns = start_ns + 3 * NS_PER_MS,
                                             .measured = true};
        served_from_ns = start_ns;
        struct wait_sample sample = {.at_ns = start_ns + NS_PER_MS,
                                     .label = WAIT_LABEL_CPU,
                                     .group = WAIT_NO_GROUP,
                                     .weight_ns = NS_PER_MS};
        if (many_blockers)
            block(&names, &sample, i);
        for (unsigned k = 0; k < samples_each; k++)
            waits_sample(waits, 0, &sample);
        if (locked_ns > 0)
            waits_locked(waits, 0, locked_ns);
        waits_end(waits, 0, &request);
    }
    waits_total(waits, totals);
    struct wait_shares *shares = wait_shares_of(totals, &names, 10);
    free(totals);
    waits_destroy(waits);
    return shares;
}

START_TEST(few_samples_do_not_divide_the_service)
{
    struct wait_shares *shares = shares_of_few(15, 1);
    const struct wait_column *all = &shares->column[WAIT_COLUMN_ALL];
    ck_assert_uint_eq(all->samples, 15);
    ck_assert(!all->divided);
    ck_assert_uint_eq(shares->rows, 0);
    ck_assert_double_eq_tol(all->enough_s, 20, 0.001);
    ck_assert_double_eq_tol(all->service, 0.75, 1e-6);
    ck_assert_double_eq_tol(all->late, 0.25, 1e-6);
    free(shares);

    /* Many samples of few requests are not independent. */
    shares = shares_of_few(2, 100);
    ck_assert(!shares->column[WAIT_COLUMN_ALL].divided);
    free(shares);
}
END_TEST

START_TEST(enough_samples_divide_the_service)
{
    struct wait_shares *shares = shares_of_few(40, 1);
    ck_assert(shares->column[WAIT_COLUMN_ALL].divided);
    ck_assert(!shares->column[WAIT_COLUMN_P95].divided);
    ck_assert_uint_eq(shares->main, WAIT_COLUMN_ALL);
    ck_assert_uint_eq(shares->rows, 1);
    ck_assert_str_eq(shares->row[0].event, "on CPU");
    ck_assert_double_eq_tol(shares->row[0].in[WAIT_COLUMN_ALL].share, 0.75, 1e-6);
    ck_assert_double_gt(shares->row[0].in[WAIT_COLUMN_ALL].error, 0);
    free(shares);
}
END_TEST

START_TEST(the_largest_blocker_is_kept)
{
    many_blockers = true;
    struct wait_shares *shares = shares_of_few(100, 1);
    const struct wait_row *rows[] = {&shares->row[0], &shares->locks};
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        ck_assert_uint_eq(rows[i]->parts, WAIT_PARTS);
        ck_assert_uint_eq(rows[i]->part[0].blocker, WAIT_BY_STRANGER + 9);
        ck_assert_double_eq_tol(rows[i]->part[0].share, 0.91, 1e-6);
    }
    free(shares);
}
END_TEST

/* Half of the response time is a measured wait. The samples divide the rest only. */
START_TEST(a_measured_wait_is_exact)
{
    locked_ns = 2 * NS_PER_MS;
    struct wait_shares *shares = shares_of_few(40, 1);
    ck_assert_uint_eq(shares->rows, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct wait_row *row = &shares->row[i];
        const bool locked = strcmp(row->event, "Lock:database") == 0;
        ck_assert(row->exact == locked);
        ck_assert_double_eq_tol(row->in[WAIT_COLUMN_ALL].share, locked ? 0.5 : 0.25, 1e-6);
        ck_assert((row->in[WAIT_COLUMN_ALL].error == 0) == locked);
    }
    free(shares);

    shares = shares_of_few(15, 1); /* too few samples for the rest */
    ck_assert(!shares->column[WAIT_COLUMN_P99].divided);
    ck_assert_uint_eq(shares->rows, 1);
    ck_assert(shares->row[0].exact && shares->locks.exact);
    ck_assert_double_eq_tol(shares->row[0].in[WAIT_COLUMN_P99].share, 0.5, 1e-6);
    free(shares);
}
END_TEST

/* A session that blocks again when it executes ROLLBACK keeps its first state and text. */
START_TEST(a_stranger_keeps_the_text_that_was_seen_first)
{
    struct wait_names names;
    struct wait_session session = {.id = 7,
                                   .program = "psql",
                                   .state = "idle in transaction",
                                   .seconds = 1,
                                   .text = "UPDATE t SET v = 0"};
    wait_names_init(&names);
    ck_assert_uint_eq(wait_names_stranger(&names, &session), WAIT_BY_STRANGER);
    session.seconds = 2;
    strcpy(session.state, "active");
    strcpy(session.text, "ROLLBACK");
    ck_assert_uint_eq(wait_names_stranger(&names, &session), WAIT_BY_STRANGER);
    ck_assert_double_eq(names.stranger[0].seconds, 2);
    ck_assert_str_eq(names.stranger[0].state, "idle in transaction");
    ck_assert_str_eq(names.stranger[0].text, "UPDATE t SET v = 0");
    session.id = 8; /* a session of the same program, which has blocked for longer */
    session.seconds = 3;
    wait_names_stranger(&names, &session);
    ck_assert_uint_eq(names.strangers, 1);
    ck_assert_str_eq(names.stranger[0].text, "ROLLBACK");
}
END_TEST

RUN_SUITE("wait_shares", 120, shares_are_within_the_stated_errors,
          triggered_samples_are_more_and_weigh_less, a_change_of_the_rate_redraws_the_next_sample,
          the_sampler_seldom_wakes_up_between_samples,
          a_gap_counts_as_part_of_the_time_between_samples, few_samples_do_not_divide_the_service,
          enough_samples_divide_the_service, the_largest_blocker_is_kept, a_measured_wait_is_exact,
          a_stranger_keeps_the_text_that_was_seen_first)
