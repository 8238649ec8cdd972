/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws whole numbers k ≥ 1 with a probability in proportion to k^-exponent. A draw takes
 * constant time for any number of values and is exact except for rounding. */
#ifndef RAND_ZIPFIAN_H
#define RAND_ZIPFIAN_H

#include <stdint.h>

#include "base/rand_stream.h"

struct zipfian {
    double exponent;
    double low;   /* H(3/2) − h(1): start of the area of 1 */
    double quick; /* a point at most this far below its number is accepted without a test */
    uint64_t n;   /* upper bound of the last draw, or 0 before the first */
    double high;  /* H(n + 1/2) */
};

/* `exponent` must be greater than 0. */
void zipfian_init(struct zipfian *z, double exponent);
/* Draws a number in [1, n], n ≥ 1. A draw is cheapest if n is the same as in the draw before. */
uint64_t zipfian_draw(struct zipfian *z, struct rand_stream *stream, uint64_t n);

#endif
