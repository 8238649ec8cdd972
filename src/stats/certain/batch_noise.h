/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error of a ratio of sums over batches, Σy / Σx, by the method of batch means. Batches are
 * joined with their neighbours until their autocorrelation is no longer significant (J. von
 * Neumann, 1941; G. S. Fishman, 1978), so that the batches count as independent and Student's t has
 * as many degrees of freedom as there are batches, less one. The rest of the autocorrelation and
 * the skewness of the batches are corrected as in A. Tafazzoli, J. R. Wilson, E. K. Lada and N. M.
 * Steiger, "Performance of Skart", INFORMS Journal on Computing 23 (2011). Pure functions.
 */
#ifndef BATCH_NOISE_H
#define BATCH_NOISE_H

#include "stats/noise.h"

struct batch_noise {
    struct noise noise;
    double skewness;    /* third standardized moment of the joined batches */
    size_t batches;     /* number of joined batches */
    double correlation; /* autocorrelation of neighbours that is left after joining, 0 to 1 */
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
