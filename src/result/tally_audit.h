/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether what a workload has counted of its own work is what it must be. */
#ifndef TALLY_AUDIT_H
#define TALLY_AUDIT_H

#include "result/remarks.h"
#include "stats/tallies.h"

/*
 * Intervals are as wide as 4 standard deviations: a workload whose true mean lies at a bound fails
 * by chance once in 30 000 times. For shares that of E. B. Wilson (1927), which holds for rare
 * events, too; for other means that of the normal distribution.
 */
void tally_audit(struct remarks *remarks, const struct tally_totals *tallies);

/* How many fail. */
unsigned tally_audit_failures(const struct remarks *remarks);

#endif
