/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The law of the arrivals, as written in --arrival, and the bursts of --burst:
 *
 *     poisson                          independent arrivals
 *     constant                         evenly spaced
 *     gamma(CV)                        independent gaps of a gamma distribution, CV = standard
 *                                      deviation / mean
 *     weibull(SHAPE)                   independent gaps of a Weibull distribution
 *     mmpp(RATE1,RATE2,MEAN1,MEAN2)    a Poisson process whose rate jumps between two values; it
 *                                      keeps them for exponential times with these means
 *     x10 200ms every 5s               ten times the rate for 200 ms of every 5 s
 *     x10 200ms every ~5s              the same at random moments, every 5 s on average
 *
 * The mean rate is always that of --tx-rate. RATE1, RATE2 and the factor of a burst only say how
 * the rates relate to each other.
 */
/* clang-format on */
#ifndef ARRIVAL_LAW_H
#define ARRIVAL_LAW_H

#include <stdbool.h>

enum law_kind { LAW_POISSON, LAW_CONSTANT, LAW_GAMMA, LAW_WEIBULL, LAW_MMPP };

struct arrival_law {
    enum law_kind kind;
    double shape, scale; /* gamma and Weibull; the mean gap is 1 */
    double factor[2];    /* MMPP: rate in each state, divided by the mean rate */
    double mean_s[2];    /* MMPP: mean time in each state, in seconds */
};

struct arrival_burst {
    double factor[2];         /* rate outside and in a burst, divided by the mean rate */
    double length_s, every_s; /* length, and (mean) time between two beginnings; every_s is 0 if
                                 there are no bursts */
    bool random;              /* true if bursts come at random moments */
};

/* Parse the text of --arrival and of --burst. Return NULL, or what is allowed. */
const char *arrival_law_parse(struct arrival_law *law, const char *text);
const char *arrival_burst_parse(struct arrival_burst *burst, const char *text);
/* The same without a result, for rows of options. */
const char *arrival_law_check(const char *text);
const char *arrival_burst_check(const char *text);

/* Returns true if the gaps are independent and of one distribution that is not exponential. */
bool arrival_law_is_renewal(const struct arrival_law *law);

/*
 * Returns −log P(a gap is longer than `gap`) for a gamma or Weibull distribution with mean 1. If
 * `gap` is drawn from the law, the result is unit exponential. The incomplete gamma function is
 * computed by its series and by its continued fraction (Abramowitz, Stegun, 6.5.29 and 6.5.31).
 */
double arrival_law_hazard(const struct arrival_law *law, double gap);

#endif
