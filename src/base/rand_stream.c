/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rand_stream.h"

#include <math.h>

void rand_stream_init(struct rand_stream *stream, uint64_t seed, enum rand_purpose purpose,
                      unsigned index)
{
    /*
     * Each step is a bijection: streams that differ in one of the three values start differently.
     */
    uint64_t x = rand_mix64(seed + RAND_WEYL);
    x = rand_mix64(x + RAND_WEYL * ((uint64_t)purpose + 1));
    x = rand_mix64(x + RAND_WEYL * ((uint64_t)index + 1));
    for (unsigned i = 0; i < ARRAY_SIZE(stream->s); i++)
        stream->s[i] = rand_mix64(x += RAND_WEYL);
}

double rand_stream_exponential(struct rand_stream *stream)
{
    /* The centre of one of 2^52 cells is exact in a double and is neither 0 nor 1. */
    return -log(((double)(rand_stream_u64(stream) >> 12) + 0.5) * 0x1p-52);
}
