/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole numbers k ≥ 1 with a probability in proportion to k^-exponent, in constant time for any
 * number of them. Exact but for rounding.
 */
#ifndef RAND_ZIPFIAN_H
#define RAND_ZIPFIAN_H

#include <stdint.h>

#include "base/rand_stream.h"

struct zipfian {
    double exponent;
    double low;   /* H(3/2) − h(1): where the cell of 1 starts */
    double quick; /* a number so little above the point drawn needs no test */
    uint64_t n;   /* of the last draw; 0: none */
    double high;  /* H(n + 1/2) */
};

/* exponent > 0 */
void zipfian_init(struct zipfian *z, double exponent);
/* A number in [1, n], n ≥ 1. Cheapest when n is that of the draw before. */
uint64_t zipfian_draw(struct zipfian *z, struct rand_stream *stream, uint64_t n);

#endif
