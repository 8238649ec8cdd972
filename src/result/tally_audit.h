/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks whether the tallies of a workload (tallies.h) are within their bounds (remarks.h). */
#ifndef TALLY_AUDIT_H
#define TALLY_AUDIT_H

#include "result/remarks.h"
#include "stats/tallies.h"

/*
 * Fills in the results of all audits in *remarks. A confidence interval extends 4 standard
 * deviations to each side: a workload whose true mean is at a bound fails by chance once in 30 000
 * times. For shares, the interval of E. B. Wilson (1927) is used, which also holds for rare events.
 * For other means, it is that of the normal distribution.
 */
void tally_audit(struct remarks *remarks, const struct tally_totals *tallies);

/* Returns the number of audits that failed. */
unsigned tally_audit_failures(const struct remarks *remarks);

#endif
