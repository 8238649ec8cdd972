/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error of a ratio of sums over batches, Σy / Σx, by the method of batch means. Neighbouring
 * batches are joined in pairs while their autocorrelation is significant and at least ten batches
 * remain (J. von Neumann, 1941; G. S. Fishman, 1978). The joined batches count as independent:
 * Student's t has one degree of freedom less than there are batches, and half as many if batches
 * were joined and fewer than 20 remain. If batches were joined, the variance is corrected for the
 * autocorrelation that remains. The interval is corrected for the skewness of the batches. Both
 * corrections are those of A. Tafazzoli, J. R. Wilson, E. K. Lada and N. M. Steiger, "Performance
 * of Skart", INFORMS Journal on Computing 23 (2011). Pure functions.
 */
#ifndef BATCH_NOISE_H
#define BATCH_NOISE_H

#include "stats/noise.h"

struct batch_noise {
    struct noise noise;
    double skewness;    /* third standardized moment of the joined batches */
    size_t batches;     /* number of joined batches */
    double correlation; /* that the variance is corrected for, ≤ 0.8; 0 if nothing was joined */
};

/* Returns the error of Σy / Σx. Needs at least two batches with x > 0. */
struct batch_noise batch_noise(const struct noise_series *series);

/*
 * Stores the distances from the ratio to the bounds of the interval that does not contain the true
 * ratio with the probability `doubt` (0 < doubt < 1): *below and *above are at least 0. If the
 * batches are skewed to the right, *above is larger than *below.
 */
void batch_noise_limits(const struct batch_noise *noise, double doubt, double *below,
                        double *above);

#endif
