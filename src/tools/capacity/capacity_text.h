/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How phases, outcomes and rates of a search are written, on a terminal as in files. */
#ifndef CAPACITY_TEXT_H
#define CAPACITY_TEXT_H

#include "tools/capacity/capacity_search.h"

/* "bracket", "narrow", "edge", "below", "above". */
const char *capacity_phase_name(enum capacity_phase phase);
/* "found", "unknown", "below_min", "above_max". */
const char *capacity_outcome_name(enum capacity_outcome outcome);

/* Rounded to five digits, to be printed with %.15g, which never needs an exponent for it. */
double capacity_digits(double rate);

/* "above 100 requests/s": what is known of a capacity that was not found; into `buf`. */
const char *capacity_bounds(const struct capacity_result *r, char *buf, size_t bytes);

#endif
