/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions: their laws, their division among ranks, their counts, and their requests in several
 * threads. */
#include "engine/user_sessions.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/rand_stream.h"
#include "engine/terminals.h"

static void load(struct settings *s, const char *rate, const char *length, const char *think)
{
    *s = (struct settings){.rand.seed = 23, .threads = 8, .queue_size = 1 << 20};
    s->rank = rank_of(0, 1, 8);
    s->sessions.on = true;
    ck_assert_ptr_null(rate_profile_parse(&s->sessions.arrivals.profile, rate));
    ck_assert_ptr_null(session_length_parse(&s->sessions.length, length));
    ck_assert_ptr_null(think_law_parse(&s->sessions.think, think));
}

/* The laws. */

/*
 * Counts 100 000 lengths with mean 5 in the classes 1, …, 19, and 20 or more, and compares them
 * with p (1 − p)^(n − 1), p = 1/5. The sum of (seen − expected)² / expected is chi-squared with 19
 * degrees of freedom, which is above 50.8 with probability 10^−4. The seed is fixed.
 */
START_TEST(lengths_are_geometric)
{
    enum { DRAWS = 100000, CLASSES = 20 };
    struct session_length law;
    struct rand_stream stream;
    unsigned seen[CLASSES + 1] = {0};
    double sum = 0;
    ck_assert_ptr_null(session_length_parse(&law, "geometric(5)"));
    rand_stream_init(&stream, 5, RAND_SESSION, 1);
    for (unsigned i = 0; i < DRAWS; i++) {
        const uint64_t n = session_length_draw(&law, &stream);
        ck_assert_uint_ge(n, 1);
        seen[n < CLASSES ? n : CLASSES]++;
    }
    for (unsigned n = 1; n <= CLASSES; n++) {
        const double expected = DRAWS * pow(0.8, n - 1) * (n < CLASSES ? 0.2 : 1);
        sum += (seen[n] - expected) * (seen[n] - expected) / expected;
    }
    ck_assert_double_lt(sum, 50.8);
    ck_assert_ptr_null(session_length_parse(&law, "geometric(1)"));
    ck_assert_uint_eq(session_length_draw(&law, &stream), 1);
    ck_assert_ptr_null(session_length_parse(&law, "7"));
    ck_assert_uint_eq(session_length_draw(&law, &stream), 7);
    ck_assert_ptr_null(session_length_parse(&law, "unlimited"));
    ck_assert_uint_eq(session_length_draw(&law, &stream), 0);
}
END_TEST

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double exponential_below(double s)
{
    return 1 - exp(-s / 2);
}

/* Mean 2 and a standard deviation of 3 means: ln s is normal with variance ln 10. */
static double lognormal_below(double s)
{
    const double variance = log(10);
    return 0.5 * erfc(-(log(s / 2) + variance / 2) / sqrt(2 * variance));
}

/* The Kolmogorov-Smirnov distance of 100 000 think times. Kolmogorov: P(D > 2.23/√n) is 1 in
 * 10 000. The seed is fixed. */
static void check_think(const char *text, double (*below)(double s))
{
    enum { DRAWS = 100000 };
    struct think_law law;
    struct rand_stream stream;
    double *drawn = malloc(DRAWS * sizeof(*drawn)), distance = 0;
    ck_assert_ptr_null(think_law_parse(&law, text));
    rand_stream_init(&stream, 5, RAND_SESSION, 2);
    for (unsigned i = 0; i < DRAWS; i++)
        drawn[i] = think_draw(&law, &stream);
    qsort(drawn, DRAWS, sizeof(*drawn), compare);
    for (unsigned i = 0; i < DRAWS; i++)
        distance = fmax(distance, fabs(below(drawn[i]) - (i + 0.5) / DRAWS));
    free(drawn);
    ck_assert_double_lt(distance, 2.23 / sqrt(DRAWS));
}

START_TEST(think_times_have_their_law)
{
    struct think_law law;
    struct rand_stream stream;
    check_think("exp(2s)", exponential_below);
    check_think("lognormal(2s,3)", lognormal_below);
    ck_assert_ptr_null(think_law_parse(&law, "250ms"));
    ck_assert_double_eq(think_draw(&law, &stream), 0.25);
}
END_TEST

START_TEST(texts_are_checked)
{
    static const char *const lengths[] = {"",  "0",    "1.5", "geometric",     "geometric(0.5)",
                                          "-", "1e10", "5 ",  "geometric(5) ", "unlimited5"},
                             *const thinks[] = {"",
                                                "-1",
                                                "exp",
                                                "exp()",
                                                "exp(1s",
                                                "exp(1x)",
                                                "1s ",
                                                "lognormal(1s)",
                                                "lognormal(1s,0.01)",
                                                "lognormal(1s,11)"};
    struct session_length length;
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
        ck_assert_ptr_nonnull(session_length_check(lengths[i]));
    for (size_t i = 0; i < ARRAY_SIZE(thinks); i++)
        ck_assert_ptr_nonnull(think_law_check(thinks[i]));
    ck_assert_ptr_null(session_length_parse(&length, "1k"));
    ck_assert_double_eq(length.mean, 1000);
    ck_assert_ptr_null(think_law_check("lognormal(1.5m,0.5)"));
}
END_TEST

/* Ranks. */

enum { SESSIONS = 20000 };

struct seen {
    int64_t begun_ns, think_ns;
    uint64_t requests;
};

/* Executes the sessions of one rank one after the other, with requests that take no time, and adds
 * each to `seen` by its number. */
static void execute(const struct settings *settings, struct seen *seen)
{
    struct user_sessions *s = user_sessions_create(settings);
    user_sessions_start(s, 0, 0);
    while (user_sessions_next_ns(s) != INT64_MAX) {
        int64_t at_ns = user_sessions_next_ns(s);
        const unsigned slot = user_sessions_begin(s);
        const uint64_t number = user_sessions_serve(s, slot).number;
        struct seen *of = &seen[number];
        ck_assert(number >= 1 && number <= SESSIONS && of->requests == 0);
        of->begun_ns = at_ns;
        for (of->requests = 1; user_sessions_end_request(s, slot, at_ns, &at_ns);) {
            of->think_ns += at_ns - of->begun_ns;
            ck_assert_uint_eq(user_sessions_serve(s, slot).index, ++of->requests);
        }
        ck_assert_int_eq(at_ns, of->begun_ns);
    }
    ck_assert(user_sessions_are_over(s));
    user_sessions_destroy(s);
}

static void check_ranks(struct settings *settings)
{
    static struct seen alone[SESSIONS + 1], divided[SESSIONS + 1];
    memset(alone, 0, sizeof(alone));
    settings->sessions.most = SESSIONS;
    settings->rank = rank_of(0, 1, 8);
    execute(settings, alone);
    for (unsigned count = 2; count <= 4; count += 2) {
        memset(divided, 0, sizeof(divided));
        for (unsigned number = 0; number < count; number++) {
            settings->rank = rank_of(number, count, 8);
            execute(settings, divided);
        }
        ck_assert_mem_eq(alone, divided, sizeof(alone));
    }
    for (unsigned i = 1; i <= SESSIONS; i++)
        ck_assert(alone[i].requests >= 1 && alone[i].begun_ns >= alone[i - 1].begun_ns);
}

START_TEST(ranks_have_the_sessions_of_one_process)
{
    struct settings s;
    load(&s, "50", "geometric(4)", "exp(1s)");
    check_ranks(&s);
    session_plan_fini(&s.sessions);
    load(&s, "0s:50,100s:500", "3", "lognormal(1s,2)");
    s.sessions.arrivals.kind = ARRIVAL_CONSTANT;
    check_ranks(&s);
    session_plan_fini(&s.sessions);
    load(&s, "50", "geometric(4)", "1s");
    s.sessions.arrivals.kind = ARRIVAL_SHAPED;
    ck_assert_ptr_null(arrival_law_parse(&s.sessions.arrivals.law, "gamma(2)"));
    check_ranks(&s);
    session_plan_fini(&s.sessions);
}
END_TEST

/* A simulation in virtual time: an unlimited number of servers, so that sessions do not wait. */

struct simulation {
    struct user_sessions *sessions;
    int64_t due_ns[4096]; /* by slot, the end of the present request; 0 if the slot is free */
    double sampled;       /* sum of the numbers in progress at whole seconds */
    int64_t from_ns, sample_ns;
    uint64_t samples;
    double durations_ns;
};

static unsigned earliest(const struct simulation *sim, int64_t *at_ns)
{
    unsigned slot = 0;
    *at_ns = INT64_MAX;
    for (unsigned i = 0; i < ARRAY_SIZE(sim->due_ns); i++)
        if (sim->due_ns[i] != 0 && sim->due_ns[i] < *at_ns) {
            *at_ns = sim->due_ns[i];
            slot = i;
        }
    return slot;
}

static void sample_until(struct simulation *sim, int64_t at_ns)
{
    for (; sim->sample_ns < at_ns; sim->sample_ns += NS_PER_SEC, sim->samples++)
        sim->sampled += (double)user_sessions_in_progress(sim->sessions);
}

static void end_one(struct simulation *sim, unsigned slot, int64_t now_ns)
{
    int64_t at_ns;
    if (user_sessions_end_request(sim->sessions, slot, now_ns, &at_ns)) {
        sim->due_ns[slot] = at_ns;
        return;
    }
    sim->due_ns[slot] = 0;
    if (now_ns >= sim->from_ns)
        sim->durations_ns += (double)(now_ns - at_ns);
}

static void simulate(struct simulation *sim, int64_t from_ns, int64_t end_ns)
{
    sim->from_ns = sim->sample_ns = from_ns;
    for (;;) {
        int64_t due_ns;
        const unsigned slot = earliest(sim, &due_ns);
        const int64_t arrival_ns = user_sessions_next_ns(sim->sessions);
        const int64_t now_ns = min_i64(due_ns, arrival_ns);
        sample_until(sim, min_i64(now_ns, end_ns));
        if (now_ns >= end_ns)
            return;
        if (arrival_ns <= due_ns) {
            const unsigned begun = user_sessions_begin(sim->sessions);
            ck_assert_uint_lt(begun, ARRAY_SIZE(sim->due_ns));
            sim->due_ns[begun] = arrival_ns;
        } else {
            user_sessions_serve(sim->sessions, slot);
            end_one(sim, slot, now_ns);
        }
    }
}

/*
 * 10 sessions per second with 4 requests on average that take no time, and exponential think times
 * of 2 s: K = 3 think times on average, K geometric with variance 4 · 3 = 12. The duration has the
 * mean 3 · 2 = 6 s and the second moment 3 · 4 + 12 · 4 + 36 = 96 s². The number in progress is
 * that of M/G/∞, with mean 10 · 6 = 60. Its mean over T = 4000 s has a standard deviation of √(10 ·
 * 96 / 4000) = 0.49, of which 4 are 1.96.
 *
 * Little's law, with the sessions that ended after the warm-up: the 60 sessions that were in
 * progress at its end add their ages, 96 / (2 · 6) = 8 s on average, and those of the end of the
 * run take theirs away. The two sums differ by 0 ± √2 · √(10 · ∫s²P(D > s)ds) = √(20 · E[D³] / 3) ≈
 * 130 s (E[D³] ≈ 2600 s³), so the mean by 0.03. The samples of every second differ from the
 * integral by less than that. The bound 0.2 is six times as much.
 */
START_TEST(numbers_in_progress_obey_littles_law)
{
    const int64_t from_ns = 100 * NS_PER_SEC, end_ns = 4100 * NS_PER_SEC;
    struct settings settings;
    struct simulation *sim = calloc(1, sizeof(*sim));
    struct sessions_left left;
    load(&settings, "10", "geometric(4)", "exp(2s)");
    sim->sessions = user_sessions_create(&settings);
    user_sessions_start(sim->sessions, 0, from_ns);
    simulate(sim, from_ns, end_ns);
    user_sessions_list(sim->sessions, &left);
    ck_assert_uint_eq(left.count, user_sessions_in_progress(sim->sessions));
    double integral_ns = left.counts.ended_ns;
    uint64_t measured = 0;
    for (size_t i = 0; i < left.count; i++) {
        integral_ns += (double)(end_ns - max_i64(left.begun_ns[i], from_ns));
        measured += left.begun_ns[i] >= from_ns;
    }
    const double mean = integral_ns / (double)(end_ns - from_ns);
    ck_assert_double_eq_tol(mean, 60, 1.96);
    ck_assert_double_eq_tol(sim->sampled / (double)sim->samples, mean, 0.2);
    const double by_law = sim->durations_ns / (double)(end_ns - from_ns);
    ck_assert_double_eq_tol(by_law, mean, 0.2);
    /* 10 per second for 4000 s: √40000 = 200 is the standard deviation. */
    ck_assert_double_eq_tol((double)left.counts.begun, 40000, 4 * 200);
    ck_assert_uint_lt(measured, left.counts.begun);
    free(left.begun_ns);
    user_sessions_destroy(sim->sessions);
    session_plan_fini(&settings.sessions);
    free(sim);
}
END_TEST

/* Limits. */

START_TEST(no_session_begins_after_the_limit)
{
    struct settings settings;
    int64_t at_ns;
    load(&settings, "10", "2", "1s");
    settings.sessions.most = 1;
    struct user_sessions *s = user_sessions_create(&settings);
    user_sessions_start(s, 5, 5);
    ck_assert(!user_sessions_are_over(s));
    const unsigned slot = user_sessions_begin(s);
    ck_assert_int_eq(user_sessions_next_ns(s), INT64_MAX);
    struct session_request request = user_sessions_serve(s, slot);
    ck_assert(request.number == 1 && request.index == 1 && !request.last);
    ck_assert(user_sessions_end_request(s, slot, NS_PER_SEC, &at_ns));
    ck_assert_int_eq(at_ns, 2 * NS_PER_SEC);
    ck_assert(!user_sessions_are_over(s));
    request = user_sessions_serve(s, slot);
    ck_assert(request.index == 2 && request.last);
    ck_assert(!user_sessions_end_request(s, slot, 3 * NS_PER_SEC, &at_ns));
    ck_assert(user_sessions_are_over(s) && !user_sessions_overflowed(s));
    user_sessions_destroy(s);
    session_plan_fini(&settings.sessions);
}
END_TEST

START_TEST(sessions_that_wait_for_their_first_service_are_limited)
{
    struct settings settings;
    load(&settings, "10", "2", "1s");
    settings.queue_size = 3;
    struct user_sessions *s = user_sessions_create(&settings);
    user_sessions_start(s, 5, 5);
    for (unsigned i = 0; i < 3; i++)
        user_sessions_serve(s, user_sessions_begin(s));
    for (unsigned i = 0; i < 3; i++)
        user_sessions_begin(s);
    ck_assert(!user_sessions_overflowed(s));
    user_sessions_begin(s);
    ck_assert(user_sessions_overflowed(s));
    ck_assert_int_eq(user_sessions_next_ns(s), INT64_MAX);
    ck_assert_uint_eq(user_sessions_in_progress(s), 7);
    user_sessions_destroy(s);
    session_plan_fini(&settings.sessions);
}
END_TEST

/* Several threads serve sessions. Each request is taken once and in the order of its session, and
 * all takers return when the last session has ended. */

enum { TAKERS = 4, CROWD = 2000 };

static struct terminals *shared;
static bool keeps;
static atomic_uint turn[CROWD + 1], keeper[CROWD + 1], ended, spread[TAKERS];

static void *serve(void *arg)
{
    const unsigned taker = (unsigned)(uintptr_t)arg;
    struct visit visit;
    while (terminals_take(shared, taker, INT64_MAX, &visit)) {
        const uint64_t number = visit.session.number;
        ck_assert(number >= 1 && number <= CROWD);
        ck_assert(visit.sent_ns <= clock_now_ns());
        ck_assert_uint_eq(atomic_fetch_add(&turn[number], 1) + 1, visit.session.index);
        const unsigned before = atomic_exchange(&keeper[number], taker);
        ck_assert(!keeps || visit.session.index == 1 || before == taker);
        atomic_fetch_add(&spread[taker], 1);
        const int64_t now_ns = clock_now_ns();
        const int64_t begun_ns = terminals_end_request(shared, &visit, now_ns);
        ck_assert_int_eq(begun_ns != 0, visit.session.last);
        ck_assert_int_le(begun_ns, now_ns);
        atomic_fetch_add(&ended, begun_ns != 0);
    }
    return NULL;
}

static void serve_all(bool keep)
{
    pthread_t taker[TAKERS];
    struct settings settings;
    struct sessions_left left;
    load(&settings, "20000", "geometric(5)", "exp(1ms)");
    settings.sessions.most = CROWD;
    keeps = settings.sessions.keep = keep;
    shared = terminals_create_sessions(&settings);
    const int64_t start_ns = clock_now_ns();
    terminals_begin(shared, start_ns, start_ns);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_create(&taker[i], NULL, serve, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < TAKERS; i++)
        pthread_join(taker[i], NULL);
    ck_assert_uint_eq(atomic_load(&ended), CROWD);
    ck_assert_uint_eq(terminals_sessions_in_progress(shared, clock_now_ns()), 0);
    terminals_sessions_left(shared, INT64_MAX - 1, &left);
    ck_assert_uint_eq(left.counts.begun, CROWD);
    free(left.begun_ns);
    terminals_destroy(shared);
    session_plan_fini(&settings.sessions);
}

START_TEST(no_session_is_lost_or_served_twice)
{
    serve_all(false);
}
END_TEST

START_TEST(sessions_keep_their_taker)
{
    serve_all(true);
}
END_TEST

/* The first session begins now, and the second one in 100 s. The other taker leads and sleeps until
 * then; the test's taker must wake up for the session that it keeps. */
START_TEST(a_taker_wakes_up_for_a_session_that_it_keeps)
{
    pthread_t other;
    struct settings settings;
    struct visit visit;
    load(&settings, "0.01", "3", "200ms");
    settings.sessions.arrivals.kind = ARRIVAL_CONSTANT;
    settings.sessions.keep = true;
    shared = terminals_create_sessions(&settings);
    terminals_begin(shared, clock_now_ns() - 100 * NS_PER_SEC, 0);
    ck_assert(terminals_take(shared, 1, INT64_MAX, &visit));
    ck_assert_int_eq(terminals_end_request(shared, &visit, clock_now_ns()), 0);
    pthread_create(&other, NULL, serve, (void *)(uintptr_t)0);
    clock_sleep_until_ns(clock_now_ns() + 100 * NS_PER_MS);
    ck_assert(terminals_take(shared, 1, INT64_MAX, &visit));
    ck_assert(visit.session.number == 1 && visit.session.index == 2);
    ck_assert_int_eq(terminals_end_request(shared, &visit, clock_now_ns()), 0);
    terminals_close(shared);
    pthread_join(other, NULL);
    ck_assert_uint_eq(atomic_load(&spread[0]), 0);
    /* The request that no taker has served is not lost. */
    ck_assert(terminals_remove(shared, clock_now_ns() + NS_PER_SEC, &visit));
    ck_assert(visit.session.number == 1 && visit.session.index == 3 && visit.session.last);
    ck_assert(!terminals_remove(shared, clock_now_ns() + NS_PER_SEC, &visit));
    terminals_destroy(shared);
    session_plan_fini(&settings.sessions);
}
END_TEST

RUN_SUITE("sessions", 60, lengths_are_geometric, think_times_have_their_law, texts_are_checked,
          ranks_have_the_sessions_of_one_process, numbers_in_progress_obey_littles_law,
          no_session_begins_after_the_limit, sessions_that_wait_for_their_first_service_are_limited,
          no_session_is_lost_or_served_twice, sessions_keep_their_taker,
          a_taker_wakes_up_for_a_session_that_it_keeps)
