/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rejection-inversion by W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates
 * from monotone discrete distributions", ACM TOMACS 6 (3), 1996.
 *
 * Let h(x) = x^-s be the hat and H its integral. A point u is drawn uniformly from the area under
 * the hat, between H(3/2) − h(1) and H(n + 1/2). x = H^-1(u) is rounded to k. As h is convex, the
 * area that belongs to k, H(k + 1/2) − H(k − 1/2), is at least h(k); k is accepted if u is in the
 * upper h(k) of this area. The area of 1 is exactly h(1), so 1 is always accepted. `quick` is the
 * distance from k down to the start of its accepted area. It is smallest for k = 2, so every x at
 * most `quick` below k is accepted without a test.
 */
#include "base/rand_zipfian.h"

#include <math.h>

#define SERIES_BELOW 1e-8 /* below this, the next term of the series is less than the precision
                           * of a double */

/* (e^t − 1) / t, also near 0. */
static double expm1_ratio(double t)
{
    return fabs(t) > SERIES_BELOW ? expm1(t) / t : 1 + t / 2;
}

/* ln(1 + t) / t, also near 0. */
static double log1p_ratio(double t)
{
    return fabs(t) > SERIES_BELOW ? log1p(t) / t : 1 - t / 2;
}

/* h(x) = x^-s */
static double hat(const struct zipfian *z, double x)
{
    return exp(-z->exponent * log(x));
}

/* H(x) = (x^(1−s) − 1) / (1 − s), which becomes ln x for s = 1. */
static double integral(const struct zipfian *z, double x)
{
    double log_x = log(x);
    return log_x * expm1_ratio((1 - z->exponent) * log_x);
}

/* H^-1(y) = (1 + y(1 − s))^(1 / (1 − s)), which becomes e^y for s = 1. */
static double integral_inverse(const struct zipfian *z, double y)
{
    return exp(y * log1p_ratio((1 - z->exponent) * y));
}

void zipfian_init(struct zipfian *z, double exponent)
{
    *z = (struct zipfian){.exponent = exponent};
    z->low = integral(z, 1.5) - hat(z, 1);
    z->quick = 2 - integral_inverse(z, integral(z, 2.5) - hat(z, 2));
}

static double rounded_within(double x, uint64_t n)
{
    double k = floor(x + 0.5);
    if (!(k > 1))
        return 1;
    return k < (double)n ? k : (double)n;
}

uint64_t zipfian_draw(struct zipfian *z, struct rand_stream *stream, uint64_t n)
{
    if (z->n != n) {
        z->n = n;
        z->high = integral(z, (double)n + 0.5);
    }
    for (;;) {
        double u = z->high + rand_stream_double(stream) * (z->low - z->high);
        double x = integral_inverse(z, u);
        double k = rounded_within(x, n);
        if (k - x <= z->quick || u >= integral(z, k + 0.5) - hat(z, k))
            return (uint64_t)k;
    }
}
