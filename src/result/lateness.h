/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the response times that the client's own lateness causes. */
#ifndef LATENESS_H
#define LATENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/snapshot.h"

/*
 * Returns an estimate for a percentile, in nanoseconds: the generator lag at this percentile, but
 * at most the difference of response time and service time at this percentile. A request that waits
 * because all workers are busy is not late because of the client, and has no lag.
 */
int64_t lateness_ns(const struct snapshot *snapshot, int64_t percentile);

/* Returns true if the lateness is large enough to be reported: more than a tenth of the response
 * time. */
bool lateness_matters(const struct snapshot *snapshot, int64_t percentile);

#endif
