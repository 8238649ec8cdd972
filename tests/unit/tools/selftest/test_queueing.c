/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/selftest/queueing.h"

#include "../../statistics.h"
#include "../../suite.h"
#include "base/util.h"
#include "tools/selftest/queue_sim.h"

static const struct {
    double offered;
    unsigned servers;
    double probability;
} erlang_c[] = {
    {0.3, 1, 0.3},                         /* one server: equal to the load */
    {1, 2, 1.0 / 3},                       /* a²/(2 + a): 1/3 */
    {1.6, 2, 2.56 / 3.6}, {2, 3, 4.0 / 9}, /* (8/6 · 3) / (1 + 2 + 2 + 4) */
    {1e-6, 3, 1e-18 / 6},                  /* a³/3!; the next term is smaller by a factor of 1e-6 */
    {999, 1000, 0},                        /* compared with the formula of textbooks only */
};

/* Erlang's C formula in its usual form: Σ a^k/k!, computed with logarithms. */
static double textbook_erlang_c(double a, unsigned servers)
{
    double last = servers * log(a) - lgamma(servers + 1.0) - log1p(-a / servers), sum = 1;
    for (unsigned k = 0; k < servers; k++)
        sum += exp(k * log(a) - lgamma(k + 1.0) - last);
    return 1 / sum;
}

START_TEST(erlang_c_has_known_values)
{
    double expected = erlang_c[_i].probability,
           seen = queue_erlang_c(erlang_c[_i].offered, erlang_c[_i].servers);
    if (expected > 0)
        ck_assert_double_eq_tol(seen, expected, 3e-6 * expected);
    ck_assert_double_eq_tol(seen, textbook_erlang_c(erlang_c[_i].offered, erlang_c[_i].servers),
                            1e-9 * seen);
}
END_TEST

static const struct queue_model models[] = {
    {350, 2e-3, 1, false},  {1000, 2e-3, 4, false}, {1600, 2e-3, 4, false},
    {1760, 2e-3, 4, false}, {500, 2e-3, 2, false},  {490000, 2e-3, 1000, false},
    {350, 2e-3, 1, true},   {100, 2e-3, 1, true},   {475, 2e-3, 1, true},
};

/*
 * The mean is the integral of P(T > t). Integrated by Simpson's rule between the points where M/D/1
 * has a kink.
 */
START_TEST(distribution_has_the_mean)
{
    const struct queue_model *m = &models[_i];
    const int steps = 400;
    double sum = 0, h = m->service_s / steps;
    for (int cell = 0; cell < 2000; cell++) {
        double from = cell * m->service_s;
        for (int i = 0; i < steps; i += 2) {
            double t = from + i * h, end = t + 2 * h;
            /* Just before the end, because P has a jump at the shortest response. */
            sum += h / 3 *
                   (queue_response_exceeds(m, t) + 4 * queue_response_exceeds(m, t + h) +
                    queue_response_exceeds(m, end * (1 - 1e-13)));
        }
        if (queue_response_exceeds(m, from) < 1e-14)
            break;
    }
    ck_assert_double_eq_tol(sum, queue_mean_response(m), 1e-8 * queue_mean_response(m));
}
END_TEST

START_TEST(quantiles_invert_the_distribution)
{
    const struct queue_model *m = &models[_i];
    static const double share[] = {0.5, 0.95, 0.99, 0.9999};
    for (size_t i = 0; i < ARRAY_SIZE(share); i++) {
        double t = queue_response_quantile(m, share[i]);
        double above = queue_response_exceeds(m, t * (1 + 1e-9)),
               below = queue_response_exceeds(m, t * (1 - 1e-9));
        ck_assert_double_le(above, 1 - share[i] + 1e-12);
        ck_assert_double_ge(below, 1 - share[i] - 1e-12);
    }
}
END_TEST

START_TEST(one_server_is_exponential)
{
    const struct queue_model *m = &models[0];
    double expected = -log(0.01) / (500 - 350);
    ck_assert_double_eq_tol(queue_response_quantile(m, 0.99), expected, 1e-9);
    ck_assert_double_eq_tol(queue_mean_response(m), 1.0 / 150, 1e-12);
    /* For exponential times the mean square is twice the square of the mean. */
    ck_assert_double_eq_tol(queue_mg1_mean_response(350, 2e-3, 8e-6), 1.0 / 150, 1e-12);
}
END_TEST

/* The series and its continuation must agree where they meet; a jump there would show a mistake. */
START_TEST(fixed_service_has_no_jump)
{
    for (double load = 0.05; load < 0.96; load += 0.1) {
        struct queue_model m = {load, 1, 1, true};
        double before = queue_response_exceeds(&m, 17 - 1e-9),
               after = queue_response_exceeds(&m, 17 + 1e-9);
        ck_assert_double_eq_tol(before, after, 1e-8 * before + 1e-12);
    }
}
END_TEST

/*
 * Mean wait in units of the service time, from a simulation of `n` requests that is independent of
 * the formulas.
 */
static double simulated_wait(const struct queue_model *m, unsigned n, unsigned seed)
{
    struct rand_stream stream;
    struct queue_sim sim = {.servers = m->servers};
    double at = 0, sum = 0;
    rand_stream_init(&stream, seed, RAND_WORKLOAD, 0);
    for (unsigned i = 0; i < n; i++) {
        at += rand_stream_exponential(&stream) / m->rate;
        int64_t arrival_ns = seconds_to_ns(at);
        int64_t service_ns =
            seconds_to_ns(m->service_s * (m->fixed ? 1 : rand_stream_exponential(&stream)));
        sum += ns_to_seconds(queue_sim_serve(&sim, arrival_ns, service_ns) - arrival_ns);
    }
    return sum / n;
}

/*
 * Standard deviation, times the square root of n, of the mean of n consecutive waiting times of an
 * M/M/1 queue. The waits are correlated, so it is far above that of a single wait (N. Blomqvist,
 * "The covariance function of the M/G/1 queuing system", 1967).
 */
static double mean_wait_deviation(const struct queue_model *m)
{
    double r = m->rate * m->service_s;
    return m->service_s * sqrt(r * (2 + 5 * r - 4 * r * r + r * r * r)) / pow(1 - r, 2);
}

#define RUNS 1000

/*
 * The variance of RUNS normal means has the relative standard error sqrt(2/RUNS) = 4.5 %; 20 % is
 * 4.42 times that. The load is 0.5, so that 20 000 requests are close to the asymptote and to a
 * normal distribution.
 */
START_TEST(mean_waits_scatter_as_the_formula_says)
{
    const struct queue_model m = {500, 1e-3, 1, false};
    const unsigned n = 20000;
    double expected_mean = queue_mean_response(&m) - m.service_s, sum = 0, squares = 0;
    for (unsigned i = 0; i < RUNS; i++) {
        double deviation = simulated_wait(&m, n, i + 1) - expected_mean;
        sum += deviation;
        squares += deviation * deviation;
    }
    double expected = pow(mean_wait_deviation(&m), 2) / n;
    ck_assert_double_eq_tol(squares / RUNS, expected, 0.2 * expected);
    ck_assert_double_eq_tol(sum / RUNS, 0, SIGMAS * sqrt(expected / RUNS));
}
END_TEST

/*
 * The formula for each run uses the rate and service time of that run, which removes a part of the
 * scatter of the mean. The remaining scatter must be smaller than the asymptotic scatter without
 * this correction, but not much smaller. A run that is 16 times as long must have a quarter of the
 * scatter (half of it is more than 10 standard errors away).
 */
START_TEST(scatter_is_centred_and_shrinks)
{
    static const int64_t percentile[] = {50 * PERCENT};
    const struct queue_model m = {500, 1e-3, 1, false};
    struct queue_scatter small[2], large[2];
    struct rand_stream stream;
    rand_stream_init(&stream, 5, RAND_WORKLOAD, 0);
    queue_scatter(&m, 4, 200, &stream, percentile, 1, small);
    queue_scatter(&m, 64, 200, &stream, percentile, 1, large);
    double asymptotic = mean_wait_deviation(&m) / sqrt(500 * 64) / queue_mean_response(&m);
    ck_assert_double_lt(large[0].deviation, asymptotic);
    ck_assert_double_gt(large[0].deviation, asymptotic / 3);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(large[i].bias, 0, SIGMAS * large[i].deviation / sqrt(200));
        ck_assert_double_gt(small[i].deviation, 2 * large[i].deviation);
        /* Nearly normal: 1 in 100 000 is beyond 4.3 deviations; checked between 4 and 8. */
        ck_assert_double_lt(large[i].low, -4 * large[i].deviation);
        ck_assert_double_gt(large[i].low, -8 * large[i].deviation);
        ck_assert_double_gt(large[i].high, 4 * large[i].deviation);
        ck_assert_double_lt(large[i].high, 8 * large[i].deviation);
    }
}
END_TEST

/* 2 s at 1000/s in 15 s: p99 = 2 (1 − 0.01 · 15000/2000) = 1.85 s, mean = 1000 · 2²/(2 · 15000). */
START_TEST(stall_has_its_figures)
{
    struct freeze_model m = {2, 2000, 15000};
    ck_assert_double_eq_tol(freeze_response_quantile(&m, 0.99), 1.85, 1e-12);
    ck_assert_double_eq_tol(freeze_mean_response(&m), 4000.0 / 30000, 1e-12);
    ck_assert_double_eq(freeze_response_quantile(&m, 0.5), 0);
    double share = freeze_mean_error(&m) / freeze_mean_response(&m);
    ck_assert_double_eq_tol(share, 1 / sqrt(6000), 1e-12);
    ck_assert_double_eq_tol(freeze_quantile_error(&m, 0.99), 2 * sqrt(0.925 * 0.075 / 2002), 1e-12);
}
END_TEST

START_TEST(servers_take_requests_in_order)
{
    struct queue_sim sim = {.servers = 2};
    ck_assert_int_eq(queue_sim_serve(&sim, 10, 100), 10);
    ck_assert_int_eq(queue_sim_serve(&sim, 20, 30), 20);
    ck_assert_int_eq(queue_sim_serve(&sim, 30, 30), 50); /* the second server ends first */
    ck_assert_int_eq(queue_sim_serve(&sim, 31, 30), 80);
    ck_assert_int_eq(queue_sim_serve(&sim, 32, 30), 110); /* both servers are busy until 110 */
    ck_assert_int_eq(queue_sim_serve(&sim, 500, 1), 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queueing");
    TCase *tc = tcase_create("queueing");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, erlang_c_has_known_values, 0, ARRAY_SIZE(erlang_c));
    tcase_add_loop_test(tc, distribution_has_the_mean, 0, ARRAY_SIZE(models));
    tcase_add_loop_test(tc, quantiles_invert_the_distribution, 0, ARRAY_SIZE(models));
    tcase_add_test(tc, one_server_is_exponential);
    tcase_add_test(tc, fixed_service_has_no_jump);
    tcase_add_test(tc, mean_waits_scatter_as_the_formula_says);
    tcase_add_test(tc, scatter_is_centred_and_shrinks);
    tcase_add_test(tc, stall_has_its_figures);
    tcase_add_test(tc, servers_take_requests_in_order);
    suite_add_tcase(suite, tc);

    return suite_run(suite);
}
