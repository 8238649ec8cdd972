/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What workloads draw: numbers of several distributions, unique numbers, strings. One struct per
 * thread; nothing here locks or allocates.
 */
#ifndef RAND_H
#define RAND_H

#include <stddef.h>
#include <stdint.h>

#include "base/rand_stream.h"
#include "base/rand_zipfian.h"

enum rand_type { RAND_UNIFORM, RAND_GAUSSIAN, RAND_SPECIAL, RAND_PARETO, RAND_ZIPFIAN };

/* Constant after parsing; the defaults are those of --rand-*. */
struct rand_config {
    enum rand_type type; /* what rand_default() draws */
    uint64_t seed;       /* already resolved: never 0 */
    int64_t spec_iter;   /* ≥ 1: summands of gaussian and special */
    int64_t spec_pct;    /* 0–100: share of the range that is special */
    int64_t spec_res;    /* 0–100: share of the values that fall there */
    double pareto_h;     /* (0, 1) */
    double zipfian_exp;  /* > 0 */
    unsigned threads;    /* ≥ 1: rand_unique() splits its numbers among them */
};

/* What one thread draws workload numbers from. `config` must outlive it. */
struct rand {
    struct rand_stream stream;
    const struct rand_config *config;
    unsigned thread;
    uint64_t unique_drawn; /* how many unique numbers this thread has drawn */
    uint32_t unique_key[3];
    double pareto_power; /* ln h / ln (1 − h) */
    struct zipfian zipfian;
};

void rand_init(struct rand *r, const struct rand_config *config, unsigned thread);

/*
 * Whole numbers in [a, b], a ≤ b, both within ±2^53 (exact in a double; what lies outside is moved
 * to the bound, fractions are rounded down). When b < a, the two are swapped. rand_default() draws
 * from config->type.
 *
 * uniform:  each value equally likely.
 * gaussian: the mean of spec_iter uniform numbers: a bell over the whole range.
 * special:  spec_res % of the values lie, uniform, in the central spec_pct % of the range (at least
 *           one value); the others form a bell over the rest of it.
 * pareto:   the smallest share h of the range gets the share 1 − h of the values, at every scale.
 * zipfian:  the k-th smallest value has a probability in proportion to k^-zipfian_exp.
 */
double rand_default(struct rand *r, double a, double b);
double rand_uniform(struct rand *r, double a, double b);
double rand_gaussian(struct rand *r, double a, double b);
double rand_special(struct rand *r, double a, double b);
double rand_pareto(struct rand *r, double a, double b);
double rand_zipfian(struct rand *r, double a, double b);

/*
 * 32-bit numbers in an order that depends on the seed. None is drawn twice in a run, by whatever
 * thread, until one thread has drawn 2^32 / threads of them.
 */
uint32_t rand_unique(struct rand *r);

/*
 * Copies `fmt` to `buf` with each '#' replaced by a digit and each '@' by a letter a–z. `buf` has
 * room for strlen(fmt) + 1 bytes. Returns the length.
 */
size_t rand_string(struct rand *r, const char *fmt, char *buf);
/* Fills `buf` with a–z and 0–9, of a length uniform in [min, max], for which it has room with one
 * byte more. Returns the length. */
size_t rand_varstring(struct rand *r, char *buf, size_t min, size_t max);
/* The same of a–z, A–Z and 0–9. */
size_t rand_alnum(struct rand *r, char *buf, size_t min, size_t max);

#endif
