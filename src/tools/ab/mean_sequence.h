/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A confidence sequence for the mean of few values: intervals that contain the true mean after
 * every value at the same time, with a given probability. The interval may
 * therefore be examined after each value, and the series stopped when the interval is narrow enough
 * or excludes a number, without being wrong more often than stated.
 *
 * The values are independent and normally distributed; neither mean nor variance is known. For each
 * mean m, the ratio of the likelihoods of the values, of "the mean is m + σδ, where δ is drawn from
 * a normal distribution with the variance g" to "the mean is m", is a martingale with the
 * expectation 1 if m is the true mean, whatever σ is:
 *
 *     E = (1 + n·g)^(−1/2) · ((1 + u) / (1 + u / (1 + n·g)))^(n/2),   u = t² / (n − 1)
 *
 * where t is Student's statistic of n values. By Ville's inequality E ever exceeds 1/α with a
 * probability of at most α. The interval has all m with E < 1/α. This is the mixture over the
 * normal distribution in H. Wang, A. Ramdas, "Anytime-valid t-tests and confidence sequences for
 * Gaussian means with unknown variance", arXiv 2310.03722 (2023), there with c² = 1/g; the first
 * sequence of this kind is that of T. L. Lai, "On confidence sequences", Annals of Statistics 4
 * (1976). Pure functions.
 */
#ifndef MEAN_SEQUENCE_H
#define MEAN_SEQUENCE_H

#include <stddef.h>

struct mean_interval {
    double mean;
    /* Half the width of the interval; INFINITY if there are too few values for an interval. */
    double half;
};

/* Returns the mean of `n` ≥ 1 values, and the interval that is wrong, now or after any other number
 * of values, with the probability `chance` (0 < chance < 1). */
struct mean_interval mean_sequence(const double *value, size_t n, double chance);

#endif
