/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/selftest/queueing.h"

#include <math.h>

/*
 * Computed by the recursion of Erlang's B formula, B(0) = 1, B(k) = a B(k − 1) / (k + a B(k − 1)),
 * and C = B / (1 − ρ (1 − B)) (R. B. Cooper, Introduction to Queueing Theory, 1981, ch. 3). All
 * terms are between 0 and 1, so any number of servers is possible.
 */
double queue_erlang_c(double offered_load, unsigned servers)
{
    double b = 1;
    for (unsigned k = 1; k <= servers; k++)
        b = offered_load * b / (k + offered_load * b);
    return b / (1 - offered_load / servers * (1 - b));
}

double queue_mg1_mean_response(double rate, double service_s, double service_square)
{
    return service_s + rate * service_square / (2 * (1 - rate * service_s));
}

/*
 * Rate at which an M/M/c queue shrinks while all servers are busy. Waits are exponential with this
 * rate.
 */
static double drain_rate(const struct queue_model *m)
{
    return m->servers / m->service_s - m->rate;
}

double queue_mean_response(const struct queue_model *m)
{
    if (m->fixed)
        return queue_mg1_mean_response(m->rate, m->service_s, m->service_s * m->service_s);
    return m->service_s + queue_erlang_c(m->rate * m->service_s, m->servers) / drain_rate(m);
}

/*
 * P(X + Y > t) for exponential X and Y with the rates x and y: (x e^(−yt) − y e^(−xt)) / (x − y),
 * rewritten so that equal rates need no special case and nothing overflows.
 */
static double sum_exceeds(double x, double y, double t)
{
    double slow = fmin(x, y), gap = fabs(x - y) * t;
    double share = gap > 0 ? -expm1(-gap) / gap : 1;
    return exp(-slow * t) * (1 + slow * t * share);
}

/*
 * A request waits with probability C; its wait and its service are exponential (Kleinrock 1975, ch.
 * 3).
 */
static double mmc_response_exceeds(const struct queue_model *m, double t)
{
    double wait = queue_erlang_c(m->rate * m->service_s, m->servers), mu = 1 / m->service_s;
    return (1 - wait) * exp(-mu * t) + wait * sum_exceeds(mu, drain_rate(m), t);
}

/*
 * M/D/1 in units of the service time, by Erlang's series of 1909 (in E. Brockmeyer et al., The Life
 * and Works of A. K. Erlang, 1948):
 *
 *     P(W ≤ x) = (1 − ρ) Σ [ρ(j − x)]^j / j! · e^(−ρ(j − x)), summed over j = 0 … ⌊x⌋.
 *
 * Its terms alternate and grow to e^(ρx): at x = SERIES_END they cost 7 of the 19 digits of a long
 * double.
 */
#define SERIES_END 16

static double md1_series(double load, double x)
{
    long double sum = 0;
    for (int j = 0; j <= (int)x; j++) {
        long double y = (long double)load * (x - j);
        sum += (j % 2 == 0 ? 1 : -1) * expl((j > 0 ? j * logl(y) : 0) - lgammal(j + 1.0L) + y);
    }
    return (double)(1 - (1 - (long double)load) * sum);
}

/*
 * The positive root of ρ (e^η − 1) = η, by Newton's method from above, where it always converges.
 */
static double md1_decay(double load)
{
    double eta = 2 * (1 / load - 1) + 2 * log(1 / load);
    for (int i = 0; i < 100; i++)
        eta -= (load * expm1(eta) - eta) / (load * exp(eta) - 1);
    return eta;
}

/*
 * For large x, P(W > x) is K e^(−ηx) with K = (1 − ρ) / (ρ e^η − 1) (Cramér and Lundberg; W.
 * Feller, vol. II, 1971, ch. XII.5). The other roots are much larger, so this and the series agree
 * to ten digits from SERIES_END on.
 */
static double md1_wait_exceeds(double load, double x)
{
    if (x < 0)
        return 1;
    if (x < SERIES_END)
        return md1_series(load, x);
    double eta = md1_decay(load);
    return (1 - load) / (load * exp(eta) - 1) * exp(-eta * x);
}

double queue_response_exceeds(const struct queue_model *m, double t)
{
    if (t < 0)
        return 1;
    return m->fixed ? md1_wait_exceeds(m->rate * m->service_s, t / m->service_s - 1)
                    : mmc_response_exceeds(m, t);
}

double queue_response_quantile(const struct queue_model *m, double p)
{
    double low = 0, high = m->service_s;
    while (queue_response_exceeds(m, high) > 1 - p)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(queue_response_exceeds(m, middle) > 1 - p ? &low : &high) = middle;
    }
    return high;
}

double freeze_mean_response(const struct freeze_model *m)
{
    return m->freeze_s * m->stalled / (2 * m->requests);
}

/* Position of the quantile of all requests among the stalled requests; negative if it is below
 * them. */
static double freeze_rank(const struct freeze_model *m, double p)
{
    return 1 - (1 - p) * m->requests / m->stalled;
}

double freeze_response_quantile(const struct freeze_model *m, double p)
{
    return m->freeze_s * fmax(0, freeze_rank(m, p));
}

/* The variance of the mean of k uniform times is S²/12k. */
double freeze_mean_error(const struct freeze_model *m)
{
    return m->freeze_s * m->stalled / m->requests / sqrt(12 * m->stalled);
}

/*
 * The order statistic at q of k uniform times has the variance S² q (1 − q) / (k + 2), as a beta
 * distribution.
 */
double freeze_quantile_error(const struct freeze_model *m, double p)
{
    double q = fmax(0, freeze_rank(m, p));
    return m->freeze_s * sqrt(q * (1 - q) / (m->stalled + 2));
}
