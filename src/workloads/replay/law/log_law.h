/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The law of the arrivals in a log, from two readings. The first reading (log_curve) counts the
 * arrivals in short bins, of which the rate over time is made. The second one (log_law) computes
 * how much the arrivals vary around that rate:
 *
 *   coefficient of variation (CV)  standard deviation / mean of the gaps between arrivals
 *   index of dispersion            variance / mean of the number of arrivals in windows of one
 *                                  length (D. R. Cox, P. A. W. Lewis, The Statistical Analysis of
 *                                  Series of Events, 1966, ch. 4)
 *
 * Both are computed twice: as if the rate was constant, and in operational time, in which the rate
 * of the curve is 1. log_fit.h chooses the options from them. Memory does not depend on the length
 * of the log. One thread may use an object at a time.
 */
#ifndef LOG_LAW_H
#define LOG_LAW_H

#include <stdbool.h>
#include <stdint.h>

#include "options/arrivals/rate_profile.h"

#define LOG_CURVE_BINS 36000
/* Largest number of pieces of the rate curve. */
#define LOG_CURVE_PIECES 24
#define LOG_LAW_SCALES 12

/* The first reading. All fields are 0 at the beginning. */
struct log_curve {
    unsigned step; /* index of the length of a bin */
    uint32_t bins[LOG_CURVE_BINS];
    uint64_t count;
    double last_s; /* time of the last arrival */
};

/* Adds an arrival `at_s` seconds after the first one; times must not decrease. */
void log_curve_add(struct log_curve *c, double at_s);

struct log_piece {
    double from_s, length_s;
    uint64_t count;
};

/* Windows of one length. */
struct log_scale {
    double window_s;
    uint64_t windows;   /* whole windows that were counted; 0 if there are too few or too many */
    double index;       /* index of dispersion around a constant rate; NAN if it is unknown */
    double curve_index; /* the same around the rate curve */
    double third[2];    /* third factorial cumulant of the number of arrivals: around a constant
                           rate, around the curve */
};

struct log_law {
    uint64_t count;
    double span_s;       /* from the first arrival to the last one */
    double mean;         /* arrivals per second */
    double tick_s;       /* resolution of the clock of the log; 0 if it is exact */
    double cv, curve_cv; /* of the gaps; NAN if the clock is too coarse or there are too few gaps */
    struct log_scale scale[LOG_LAW_SCALES];
    /* The rate curve: at most LOG_CURVE_PIECES pieces of equal length, the last one up to twice as
     * long. `profile` is linear between their middles. */
    struct log_piece piece[LOG_CURVE_PIECES];
    unsigned pieces;
    double piece_s;
    struct rate_profile profile;
    char profile_text[LOG_CURVE_PIECES * 40]; /* as in --tx-rate */

    /* The following fields are used while arrivals are added. */
    struct log_window {
        uint64_t next;     /* number of the current window */
        uint64_t arrivals; /* in the current window */
        double expected;   /* by the curve, until the beginning of the current window */
        double sum[2][3];  /* sums of powers of deviations: constant rate, curve */
    } window[LOG_LAW_SCALES];
    struct log_gaps {
        uint64_t count;
        double mean, square;
    } gaps[2];
    double last_s, last_expected;
};

/* Begins the second reading. Call log_law_fini() after use. */
void log_law_init(struct log_law *law, const struct log_curve *curve, double tick_s);
/* Adds an arrival `at_s` seconds after the first one. The arrivals must be those of the first
 * reading. */
void log_law_add(struct log_law *law, double at_s);
/* Computes the figures after the last arrival. */
void log_law_end(struct log_law *law);
void log_law_fini(struct log_law *law);

/* Returns true if windows of this scale are much shorter than a piece of the curve, so that the
 * curve does not follow the variation that is to be measured in them. */
bool log_law_curve_is_coarse(const struct log_law *law, const struct log_scale *scale);

#endif
