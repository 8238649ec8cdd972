/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Precisions at which a run ends, as written in --until. A list of
 *
 *     p99±3%          the interval of this percentile of the response times reaches at most 3 % of
 *                     the percentile to either side
 *     mean±2%         the same for the mean response time
 *     throughput±1%   the same for the completed requests per second
 *
 * "+-" may be written for "±".
 */
#ifndef UNTIL_H
#define UNTIL_H

#include <stdint.h>

#define UNTIL_MAX 8
#define UNTIL_NAME_BYTES 24

enum until_kind { UNTIL_PERCENTILE, UNTIL_MEAN, UNTIL_THROUGHPUT };

struct until_goal {
    enum until_kind kind;
    int64_t percentile; /* for UNTIL_PERCENTILE, in millionths of a percent */
    double precision;   /* share of the figure: 0.03 for 3 % */
};

struct until {
    unsigned count; /* number of goals; 0 if the option is not given */
    struct until_goal goal[UNTIL_MAX];
};

/* Check function for option rows: returns NULL if `text` is a list of 1 to UNTIL_MAX goals for
 * different figures, otherwise what is allowed. */
const char *until_check(const char *text);
/* Parses a text that until_check() accepts. NULL results in no goals. */
void until_parse(struct until *until, const char *text);

/* Writes "p99", "mean" or "throughput" to `name`, an array of UNTIL_NAME_BYTES, and returns it. */
const char *until_name(const struct until_goal *goal, char *name);

#endif
