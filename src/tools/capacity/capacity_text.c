/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/capacity/capacity_text.h"

#include <math.h>
#include <stdio.h>

const char *capacity_phase_name(enum capacity_phase phase)
{
    static const char *const names[] = {[CAPACITY_BRACKET] = "bracket",
                                        [CAPACITY_NARROW] = "narrow",
                                        [CAPACITY_EDGE] = "edge",
                                        [CAPACITY_BELOW] = "below",
                                        [CAPACITY_ABOVE] = "above"};
    return names[phase];
}

double capacity_digits(double rate)
{
    if (!isfinite(rate) || rate <= 0)
        return rate;
    double unit = pow(10, floor(log10(rate)) - 4);
    /* A unit below 1 has no exact binary representation, but its inverse has. */
    return unit < 1 ? round(rate * round(1 / unit)) / round(1 / unit) : round(rate / unit) * unit;
}

const char *capacity_outcome_name(enum capacity_outcome outcome)
{
    static const char *const names[] = {[CAPACITY_UNKNOWN] = "unknown",
                                        [CAPACITY_FOUND] = "found",
                                        [CAPACITY_BELOW_MIN] = "below_min",
                                        [CAPACITY_ABOVE_MAX] = "above_max"};
    return names[outcome];
}

const char *capacity_bounds(const struct capacity_result *r, char *buf, size_t bytes)
{
    if (r->low > 0 && isfinite(r->high))
        snprintf(buf, bytes, "between %.15g and %.15g requests/s", capacity_digits(r->low),
                 capacity_digits(r->high));
    else if (r->low > 0)
        snprintf(buf, bytes, "above %.15g requests/s", capacity_digits(r->low));
    else if (isfinite(r->high))
        snprintf(buf, bytes, "below %.15g requests/s", capacity_digits(r->high));
    else
        snprintf(buf, bytes, "no probe has completed");
    return buf;
}
