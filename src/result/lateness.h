/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of the response times is the client's own lateness. */
#ifndef LATENESS_H
#define LATENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/snapshot.h"

/*
 * An estimate for a percentile, in nanoseconds: the generator's lag at it, but no more than the
 * response time is longer there than the service time. What waits because all workers are busy is
 * not late by the client's doing, and has no lag.
 */
int64_t lateness_ns(const struct snapshot *snapshot, int64_t percentile);

/* Whether that is so much of the response time that a report tells it: more than a tenth. */
bool lateness_matters(const struct snapshot *snapshot, int64_t percentile);

#endif
