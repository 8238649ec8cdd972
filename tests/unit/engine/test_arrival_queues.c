/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues with one server, exponential service times, and arrivals drawn by the arrival process:
 * the mean and the 99th percentile of the response time follow from queueing theory.
 */
#include <math.h>
#include <stdlib.h>

#include "../statistics.h"
#include "../suite.h"
#include "base/clock.h"
#include "engine/arrival.h"

#define RATE 1000.0
#define SERVICE_RATE 1600.0

/* P(response > t) in the steady state. */
typedef double tail_fn(const void *model, double t);

/* The response time of G/M/1 is exponential with rate μ(1 − σ), where σ is the root of
 * σ = A*(μ(1 − σ)) and A* the Laplace transform of a gap (Kleinrock, Queueing Systems I, 1975, ch.
 * 6). A gamma gap has A*(s) = (1 + s·scale/rate)^(−shape). */
static double gm1_decay(const struct arrival_law *law)
{
    double sigma = 0;
    for (int i = 0; i < 10000; i++)
        sigma = pow(1 + SERVICE_RATE * (1 - sigma) * law->scale / RATE, -law->shape);
    return SERVICE_RATE * (1 - sigma);
}

static double gm1_tail(const void *model, double t)
{
    return exp(-*(const double *)model * t);
}

/*
 * MMPP/M/1 by matrix-geometric methods (Neuts, Matrix-Geometric Solutions, 1981, ch. 1 and 3). Level
 * n has n requests; π_n = π_0·R^n, where R is the smallest solution of Λ + R·(Q − Λ − μI) + μ·R² =
 * 0, and π_0·(I − R)^(−1) is the stationary distribution of the states.
 */
struct mmpp_queue {
    double pi0[2], r[2][2], rate[2];
};

static void multiply(double out[2][2], const double a[2][2], const double b[2][2])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
}

static struct mmpp_queue mmpp_queue(const struct arrival_law *law)
{
    struct mmpp_queue q = {.rate = {RATE * law->factor[0], RATE * law->factor[1]}};
    const double out[2] = {1 / law->mean_s[0], 1 / law->mean_s[1]}, mu = SERVICE_RATE;
    /* −(Q − Λ − μI) and its inverse */
    const double d0 = out[0] + q.rate[0] + mu, d1 = out[1] + q.rate[1] + mu;
    const double det = d0 * d1 - out[0] * out[1];
    const double inverse[2][2] = {{d1 / det, out[0] / det}, {out[1] / det, d0 / det}};
    for (int i = 0; i < 20000; i++) {
        double square[2][2], next[2][2];
        multiply(square, q.r, q.r);
        for (int j = 0; j < 4; j++)
            square[j / 2][j % 2] = mu * square[j / 2][j % 2] + (j % 3 == 0 ? q.rate[j / 3] : 0);
        multiply(next, square, inverse);
        for (int j = 0; j < 4; j++)
            q.r[j / 2][j % 2] = next[j / 2][j % 2];
    }
    const double p0 = out[1] / (out[0] + out[1]), p1 = 1 - p0;
    q.pi0[0] = p0 * (1 - q.r[0][0]) - p1 * q.r[1][0];
    q.pi0[1] = p1 * (1 - q.r[1][1]) - p0 * q.r[0][1];
    return q;
}

/* A request that finds n others has an Erlang(n + 1) response; requests find level n and state i
 * in proportion to π_n[i]·λ_i. P(Erlang(n + 1) > t) = P(a Poisson number with mean μt is ≤ n). */
static double mmpp_tail(const void *model, double t)
{
    const struct mmpp_queue *q = model;
    const double x = SERVICE_RATE * t;
    double pi[2] = {q->pi0[0], q->pi0[1]}, term = exp(-x), erlang = term, tail = 0;
    for (int n = 0; n < 20000; n++) {
        if (pi[0] + pi[1] < 1e-15)
            break;
        tail += (pi[0] * q->rate[0] + pi[1] * q->rate[1]) / RATE * fmin(erlang, 1);
        const double next0 = pi[0] * q->r[0][0] + pi[1] * q->r[1][0];
        pi[1] = pi[0] * q->r[0][1] + pi[1] * q->r[1][1];
        pi[0] = next0;
        term *= x / (n + 1);
        erlang += term;
    }
    return tail;
}

/* The time that a response exceeds with a probability of 1 %. */
static double p99(tail_fn *tail, const void *model)
{
    double low = 0, high = 0.4;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(tail(model, middle) > 0.01 ? &low : &high) = middle;
    }
    return high;
}

/* The mean is the integral of the tail, here by the trapezoidal rule. */
static double mean(tail_fn *tail, const void *model)
{
    const double step = 5e-5;
    double sum = tail(model, 0) / 2;
    for (double t = step; t < 0.35; t += step)
        sum += tail(model, t);
    return sum * step;
}

enum { BATCHES = 400 };

/* The largest relative error that check_batches() may estimate. */
#define ERROR_MOST 0.036

/*
 * Asserts that the mean of the batches is `expected`. Batches of 20 000 requests, thousands of
 * times the time that the queue remembers, are nearly independent and normal. The bound is
 * exceeded with a probability of 10^-5, or 3·10^-5 with the estimated error (t distribution).
 *
 * The relative error follows from the relaxation time of a reflected Brownian motion with drift
 * a = 1600 − 1000 = 600/s and variance v = 1000 I + 1600 per second, where I is the index of
 * dispersion of arrivals in long windows: t = 2 v/a² (J. Abate, W. Whitt, Transient behavior of
 * regulated Brownian motion, 1987). The mean of n = 8 000 000 values that depend on the queue has
 * at most the variance of n/(2·1000 t) independent ones. The largest I is that of
 * mmpp(1,3,20ms,10ms), 5.3: t = 38 ms, so n counts as 105 000. A response is above the 99th
 * percentile with a probability p of 0.01, which has a relative error of √((1 − p)/p/105 000) =
 * 3.1 %. The estimated error is itself off by 1/√(2·399) = 3.5 %, of which SIGMAS are 16 %: 3.6 %.
 */
static void check_batches(const double *batch, double expected, const char *what)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < BATCHES; i++)
        sum += batch[i];
    for (int i = 0; i < BATCHES; i++)
        squares += (batch[i] - sum / BATCHES) * (batch[i] - sum / BATCHES);
    const double error = sqrt(squares / (BATCHES - 1) / BATCHES);
    ck_assert_msg(fabs(sum / BATCHES - expected) < SIGMAS * error, "%s: %g, expected %g ± %g", what,
                  sum / BATCHES, expected, error);
    ck_assert_msg(error < ERROR_MOST * expected, "%s: the error %g of %g is larger than derived",
                  what, error, expected);
}

/* Lindley's recursion over the drawn arrivals. */
static void check_queue(const char *text, tail_fn *tail, const void *model)
{
    enum { SIZE = 20000 };
    struct settings s = {.rand.seed = 5, .threads = 1, .arrivals.kind = ARRIVAL_SHAPED};
    struct arrival a;
    struct rand_stream service;
    double means[BATCHES] = {0}, above[BATCHES] = {0}, done_s = 0;
    const double limit_s = p99(tail, model);
    ck_assert_ptr_null(rate_profile_parse(&s.arrivals.profile, "1000"));
    ck_assert_ptr_null(arrival_law_parse(&s.arrivals.law, text));
    arrival_init(&a, &s);
    rand_stream_init(&service, 6, RAND_SERVICE, 0);
    for (int i = -SIZE; i < BATCHES * SIZE; i++) {
        const double at_s = ns_to_seconds(arrival_next(&a));
        done_s = fmax(done_s, at_s) + rand_stream_exponential(&service) / SERVICE_RATE;
        if (i < 0)
            continue;
        means[i / SIZE] += (done_s - at_s) / SIZE;
        above[i / SIZE] += done_s - at_s > limit_s ? 1.0 / SIZE : 0;
    }
    check_batches(means, mean(tail, model), text);
    check_batches(above, 0.01, text);
    arrival_plan_fini(&s.arrivals);
}

START_TEST(mm1_has_its_response_times)
{
    const double decay = SERVICE_RATE - RATE;
    check_queue("poisson", gm1_tail, &decay);
}
END_TEST

static void check_gamma(const char *text)
{
    struct arrival_law law;
    ck_assert_ptr_null(arrival_law_parse(&law, text));
    const double decay = gm1_decay(&law);
    check_queue(text, gm1_tail, &decay);
}

START_TEST(gm1_has_its_response_times)
{
    check_gamma("gamma(2)");
    check_gamma("gamma(0.5)");
}
END_TEST

static void check_mmpp(const char *text)
{
    struct arrival_law law;
    ck_assert_ptr_null(arrival_law_parse(&law, text));
    const struct mmpp_queue q = mmpp_queue(&law);
    check_queue(text, mmpp_tail, &q);
}

START_TEST(mmpp_m1_has_its_response_times)
{
    /* With equal rates it is M/M/1. */
    check_mmpp("mmpp(1,1,20ms,20ms)");
    check_mmpp("mmpp(1,3,20ms,10ms)");
}
END_TEST

RUN_SUITE("arrival_queues", 120, mm1_has_its_response_times, gm1_has_its_response_times,
          mmpp_m1_has_its_response_times)
