/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers of several distributions, unique numbers and random strings for workloads.
 * There is one struct per thread; the functions neither lock nor allocate. */
#ifndef RAND_H
#define RAND_H

#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"

enum rand_type { RAND_UNIFORM, RAND_GAUSSIAN, RAND_SPECIAL, RAND_PARETO, RAND_ZIPFIAN };

/* Settings of the --rand-* options, constant after parsing. */
struct rand_config {
    enum rand_type type; /* the distribution of rand_default() */
    uint64_t seed;       /* never 0: 0 was replaced by a drawn seed */
    int64_t spec_iter;   /* ≥ 1: number of summands of gaussian and special */
    int64_t spec_pct;    /* 0–100: percentage of the range that is special */
    int64_t spec_res;    /* 0–100: percentage of the values drawn from the special part */
    double pareto_h;     /* (0, 1) */
    double zipfian_exp;  /* > 0 */
    unsigned threads;    /* ≥ 1: number of threads that share the numbers of rand_unique() */
};

/* The distribution of rand_zipfian(); H and h are explained in rand.c. */
struct zipfian {
    double exponent;
    double low;   /* H(3/2) − h(1): start of the area of 1 */
    double quick; /* a point at most this far below its number is accepted without a test */
    uint64_t n;   /* upper bound of the last draw, or 0 before the first */
    double high;  /* H(n + 1/2) */
};

/* The state of one thread. `config` must outlive it. */
struct rand {
    struct rand_stream stream;
    const struct rand_config *config;
    unsigned thread;
    uint64_t unique_drawn; /* number of unique numbers that this thread has drawn */
    uint32_t unique_key[3];
    double pareto_power; /* ln h / ln (1 − h) */
    struct zipfian zipfian;
};

void rand_init(struct rand *r, const struct rand_config *config, unsigned thread);

/*
 * Draw whole numbers in [a, b]. If b < a, the two are swapped. Bounds are rounded down to whole
 * numbers and limited to ±2^53, so that they are exact in a double. rand_default() draws from
 * config->type.
 *
 * uniform:  each value is equally likely.
 * gaussian: the mean of spec_iter uniform numbers, which gives a bell shape over the range.
 * special:  spec_res % of the values are uniform in the central spec_pct % of the range (at least
 *           one value); the others have a bell shape over the rest of the range.
 * pareto:   the smallest share h of the range gets the share 1 − h of the values, at every scale.
 * zipfian:  the k-th smallest value has a probability in proportion to k^-zipfian_exp.
 */
double rand_default(struct rand *r, double a, double b);
double rand_uniform(struct rand *r, double a, double b);
double rand_gaussian(struct rand *r, double a, double b);
double rand_special(struct rand *r, double a, double b);
double rand_pareto(struct rand *r, double a, double b);
double rand_zipfian(struct rand *r, double a, double b);

/* Draws a 32-bit number. The order of the numbers depends on the seed. No number is drawn twice
 * in a run by any thread, until one thread has drawn 2^32 / threads of them. */
uint32_t rand_unique(struct rand *r);

/* Copies `fmt` to `buf` and replaces each '#' by a digit and each '@' by a letter a–z. `buf` has
 * room for strlen(fmt) + 1 bytes. Returns the length. */
size_t rand_string(struct rand *r, const char *fmt, char *buf);
/* Fills `buf` with characters a–z and 0–9. The length is uniform in [min, max]; `buf` has room
 * for max + 1 bytes. Returns the length. */
size_t rand_varstring(struct rand *r, char *buf, size_t min, size_t max);
/* The same with characters a–z, A–Z and 0–9. */
size_t rand_alnum(struct rand *r, char *buf, size_t min, size_t max);

#endif
