/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of random numbers. There is one stream per purpose and thread, all derived from
 * --rand-seed, so that the same seed gives the same arrivals and the same keys, whatever else is
 * measured or printed. A stream belongs to one thread; the functions neither lock nor allocate.
 * Functions called for each key are inline.
 */
#ifndef RAND_STREAM_H
#define RAND_STREAM_H

#include <stdint.h>

#include "base/util.h"

enum rand_purpose {
    RAND_ARRIVAL,    /* gaps between arrivals */
    RAND_WORKLOAD,   /* numbers that scripts draw: keys, strings */
    RAND_SERVICE,    /* service times of the null driver */
    RAND_BACKOFF,    /* pauses between reconnects, and lifetimes of connections */
    RAND_OWNER,      /* the rank that an arrival is assigned to */
    RAND_SHARED,     /* numbers that scripts draw identically in every thread; the script chooses
                      * the index */
    RAND_ORDER,      /* orders tried by a permutation test */
    RAND_TERMINAL,   /* times at which terminals send; the index is that of the terminal */
    RAND_SAMPLE,     /* times at which sessions are sampled; the index is that of the host,
                      * after the hosts of lower ranks */
    RAND_EXEMPLAR,   /* numbers that decide which ordinary requests --slowest keeps */
    RAND_MODULATION, /* times at which the rate of an MMPP jumps, and of random bursts */
    RAND_VECTOR,     /* synthetic vectors; the index is the number of the vector */
    RAND_RETRY,   /* pauses before further attempts at a request; the index is that of the worker */
    RAND_SESSION, /* length and think times of a session; the index is its number */
};

struct rand_stream {
    uint64_t s[4]; /* xoshiro256** by Blackman and Vigna, 2018 */
};

#define RAND_WEYL UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */

/* The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits. */
static inline uint64_t rand_mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Starts the stream of (seed, purpose, index). The index is usually the number of a thread of
 * the run. */
void rand_stream_init(struct rand_stream *stream, uint64_t seed, enum rand_purpose purpose,
                      unsigned index);

/* Draws from the exponential distribution with mean 1. The result is never 0 or infinite. */
double rand_stream_exponential(struct rand_stream *stream);

static inline uint64_t rand_rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t rand_stream_u64(struct rand_stream *stream)
{
    uint64_t *s = stream->s;
    uint64_t result = rand_rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rand_rotate_left(s[3], 45);
    return result;
}

/* Draws uniformly from [0, 1), with 53 random bits. */
static inline double rand_stream_double(struct rand_stream *stream)
{
    return (double)(rand_stream_u64(stream) >> 11) * 0x1p-53;
}

/* Draws a whole number in [0, n), each equally likely; n ≥ 1. The result is the high half of a
 * product: D. Lemire, "Fast random integer generation in an interval", 2019. */
static inline uint64_t rand_stream_below(struct rand_stream *stream, uint64_t n)
{
    unsigned __int128 product = (unsigned __int128)rand_stream_u64(stream) * n;
    if (UNLIKELY((uint64_t)product < n)) {
        uint64_t surplus = -n % n; /* 2^64 mod n: the number of low halves that would be drawn
                                    * too often */
        while ((uint64_t)product < surplus)
            product = (unsigned __int128)rand_stream_u64(stream) * n;
    }
    return (uint64_t)(product >> 64);
}

#endif
