/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of phases and outcomes, and texts for rates of a search. */
#ifndef CAPACITY_TEXT_H
#define CAPACITY_TEXT_H

#include "tools/capacity/capacity_search.h"

/* Returns "bracket", "narrow", "edge", "below" or "above". */
const char *capacity_phase_name(enum capacity_phase phase);
/* Returns "found", "unknown", "below_min" or "above_max". */
const char *capacity_outcome_name(enum capacity_outcome outcome);

/* Rounds a rate to five digits, so that %.15g prints it without an exponent. */
double capacity_digits(double rate);

/* Writes for example "above 100 requests/s" to `buf`: the bounds of a capacity that was not found.
 * Returns `buf`. */
const char *capacity_bounds(const struct capacity_result *r, char *buf, size_t bytes);

#endif
