/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the options of a run that imitates the arrivals of a log. The rules, for the index of
 * dispersion I of windows and the coefficient of variation CV of gaps:
 *
 * Rate: constant, unless the numbers of arrivals in the pieces of the rate curve differ by more
 * than the variation within them explains (F-test at 0.1 %), and more than an MMPP explains whose
 * states, fitted at a constant rate, are forgotten within a piece (c times its length is at least
 * 1): the index of its pieces may exceed I(piece) by the same quantile, and neighbouring pieces
 * differ as those of such a rate do, not as those of a slow change.
 *
 * MMPP: independent gaps have I → CV² for long windows, from below for gamma gaps with a CV above 1
 * (D. R. Cox, Renewal Theory, 1962, ch. 4). If I exceeds CV² and 1 by half, and by more than four
 * standard errors, the rate has states. For two states with the rates a and b (the higher one), the
 * probability p of b and the sum c of the two rates of switching,
 *     I(w) = 1 + A (1 − (1 − exp(−x))/x),   x = c w,   A = 2 p (1 − p) (b − a)²/(mean c);
 * A and c are fitted to all windows. The third factorial cumulant of the number of arrivals,
 *     6 (1 − 2 p) p (1 − p) (b − a)³ w³ (g2/x² − g3/x³),
 *     g2 = 1 − exp(−x) (1 + x),   g3 = 2 − exp(−x) (x² + 2 x + 2),
 * gives p. It is that of the rate, whose covariance decays like exp(−c t) and whose deviation Y has
 * Y² = p (1 − p)(b − a)² + (1 − 2 p)(b − a) Y.
 *
 * Otherwise the gaps are gamma with their CV, or exponential if it differs from 1 by less than 3 %
 * or four standard errors.
 */
#ifndef LOG_FIT_H
#define LOG_FIT_H

#include "workloads/replay/law/log_law.h"

struct log_fit {
    bool curve; /* the rate changes over time: use law->profile_text */
    double cv;  /* of the gaps, around the curve if `curve`; NAN if unknown */
    /* Window from whose index the CV was computed because the clock is too coarse for gaps; 0 if
     * the CV is that of the gaps. */
    double cv_window_s;
    const char *kind;   /* "poisson", "constant", "gamma" or "mmpp"; NULL if unknown */
    char arrival[128];  /* value of --arrival; "" if the law is unknown */
    const char *remark; /* why the options imitate only a part of the variation; or NULL */
};

/* Chooses the options by the figures of log_law_end(). */
void log_fit(struct log_fit *fit, const struct log_law *law);

/* Returns the index of dispersion of the scale around the rate that `fit` has chosen; NAN if it is
 * unknown. */
double log_fit_index(const struct log_fit *fit, const struct log_law *law,
                     const struct log_scale *scale);

#endif
