/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rand.h"

#include <math.h>

#include "base/util.h"

#define EXACT_IN_DOUBLE 9007199254740992.0 /* 2^53 */
/* Below this, the next term of a series is less than the precision of a double. */
#define SERIES_BELOW 1e-8

/*
 * Zipfian numbers are drawn by rejection-inversion: W. Hörmann and G. Derflinger,
 * "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6
 * (3), 1996.
 *
 * Let h(x) = x^-s be the hat and H its integral. A point u is drawn uniformly from the area under
 * the hat, between H(3/2) − h(1) and H(n + 1/2). x = H^-1(u) is rounded to k. As h is convex, the
 * area that belongs to k, H(k + 1/2) − H(k − 1/2), is at least h(k); k is accepted if u is in the
 * upper h(k) of this area. The area of 1 is exactly h(1), so 1 is always accepted. `quick` is the
 * distance from k down to the start of its accepted area. It is smallest for k = 2, so every x at
 * most `quick` below k is accepted without a test.
 */

/* (e^t − 1) / t, also near 0. */
static double expm1_ratio(double t)
{
    return fabs(t) > SERIES_BELOW ? expm1(t) / t : 1 + t / 2;
}

/* ln(1 + t) / t, also near 0. */
static double log1p_ratio(double t)
{
    return fabs(t) > SERIES_BELOW ? log1p(t) / t : 1 - t / 2;
}

/* h(x) = x^-s */
static double hat(const struct zipfian *z, double x)
{
    return exp(-z->exponent * log(x));
}

/* H(x) = (x^(1−s) − 1) / (1 − s), which becomes ln x for s = 1. */
static double integral(const struct zipfian *z, double x)
{
    double log_x = log(x);
    return log_x * expm1_ratio((1 - z->exponent) * log_x);
}

/* H^-1(y) = (1 + y(1 − s))^(1 / (1 − s)), which becomes e^y for s = 1. */
static double integral_inverse(const struct zipfian *z, double y)
{
    return exp(y * log1p_ratio((1 - z->exponent) * y));
}

static void zipfian_init(struct zipfian *z, double exponent)
{
    *z = (struct zipfian){.exponent = exponent};
    z->low = integral(z, 1.5) - hat(z, 1);
    z->quick = 2 - integral_inverse(z, integral(z, 2.5) - hat(z, 2));
}

static double rounded_within(double x, uint64_t n)
{
    double k = floor(x + 0.5);
    if (!(k > 1))
        return 1;
    return k < (double)n ? k : (double)n;
}

/* Draws a whole number in [1, n], n ≥ 1, with a probability in proportion to k^-exponent. A draw
 * takes constant time for any n, and is cheapest if n is the same as in the draw before. */
static uint64_t zipfian_draw(struct zipfian *z, struct rand_stream *stream, uint64_t n)
{
    if (z->n != n) {
        z->n = n;
        z->high = integral(z, (double)n + 0.5);
    }
    for (;;) {
        double u = z->high + rand_stream_double(stream) * (z->low - z->high);
        double x = integral_inverse(z, u);
        double k = rounded_within(x, n);
        if (k - x <= z->quick || u >= integral(z, k + 0.5) - hat(z, k))
            return (uint64_t)k;
    }
}

/* All distributions. */

void rand_init(struct rand *r, const struct rand_config *config, unsigned thread)
{
    *r = (struct rand){.config = config, .thread = thread};
    rand_stream_init(&r->stream, config->seed, RAND_WORKLOAD, thread);
    r->pareto_power = log(config->pareto_h) / log1p(-config->pareto_h);
    zipfian_init(&r->zipfian, config->zipfian_exp);
    for (unsigned i = 0; i < ARRAY_SIZE(r->unique_key); i++)
        r->unique_key[i] = (uint32_t)rand_mix64(config->seed + RAND_WEYL * (i + 1));
}

static int64_t whole_number(double x)
{
    if (!(x > -EXACT_IN_DOUBLE)) /* this form of the condition also catches NaN */
        x = -EXACT_IN_DOUBLE;
    x = x < EXACT_IN_DOUBLE ? x : EXACT_IN_DOUBLE;
    int64_t whole = (int64_t)x; /* truncates towards 0, so below 0 the result may be 1 too high */
    return whole - ((double)whole > x);
}

/* The whole numbers low to low + size − 1 */
struct range {
    int64_t low;
    uint64_t size;
};

static struct range range_of(double a, double b)
{
    int64_t x = whole_number(a), y = whole_number(b);
    int64_t low = x < y ? x : y, high = x < y ? y : x;
    return (struct range){.low = low, .size = (uint64_t)(high - low) + 1};
}

static double value_at(const struct range *range, uint64_t offset)
{
    return (double)(range->low + (int64_t)offset);
}

/* Returns the offset at the share `x` in [0, 1] of n values. `x` may be 1 because of rounding. */
static uint64_t offset_at(double x, uint64_t n)
{
    uint64_t offset = (uint64_t)(x * (double)n);
    return offset < n ? offset : n - 1;
}

double rand_uniform(struct rand *r, double a, double b)
{
    struct range range = range_of(a, b);
    return value_at(&range, rand_stream_below(&r->stream, range.size));
}

/* Draws an offset in [0, n) with a bell-shaped distribution. */
static uint64_t bell(struct rand *r, uint64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < r->config->spec_iter; i++)
        sum += rand_stream_double(&r->stream);
    return offset_at(sum / (double)r->config->spec_iter, n);
}

double rand_gaussian(struct rand *r, double a, double b)
{
    struct range range = range_of(a, b);
    return value_at(&range, bell(r, range.size));
}

/* Draws from a bell over [0, n) without [from, from + count). `count` is less than n. */
static uint64_t bell_outside(struct rand *r, uint64_t n, uint64_t from, uint64_t count)
{
    enum { TRIES = 16 };

    for (int i = 0; i < TRIES; i++) {
        uint64_t offset = bell(r, n);
        if (offset < from || offset - from >= count)
            return offset;
    }
    /* The excluded part covers nearly the whole bell: draw from a bell over the rest, and skip
     * the excluded part. */
    uint64_t offset = bell(r, n - count);
    return offset < from ? offset : offset + count;
}

double rand_special(struct rand *r, double a, double b)
{
    struct range range = range_of(a, b);
    uint64_t n = range.size;
    uint64_t count = n * (uint64_t)r->config->spec_pct / 100;
    count += count == 0;
    uint64_t from = (n - count) / 2;

    if (count == n || rand_stream_below(&r->stream, 100) < (uint64_t)r->config->spec_res)
        return value_at(&range, from + rand_stream_below(&r->stream, count));
    return value_at(&range, bell_outside(r, n, from, count));
}

double rand_pareto(struct rand *r, double a, double b)
{
    struct range range = range_of(a, b);
    double share = pow(rand_stream_double(&r->stream), r->pareto_power);
    return value_at(&range, offset_at(share, range.size));
}

double rand_zipfian(struct rand *r, double a, double b)
{
    struct range range = range_of(a, b);
    return value_at(&range, zipfian_draw(&r->zipfian, &r->stream, range.size) - 1);
}

double rand_default(struct rand *r, double a, double b)
{
    switch (r->config->type) {
    case RAND_GAUSSIAN:
        return rand_gaussian(r, a, b);
    case RAND_SPECIAL:
        return rand_special(r, a, b);
    case RAND_PARETO:
        return rand_pareto(r, a, b);
    case RAND_ZIPFIAN:
        return rand_zipfian(r, a, b);
    case RAND_UNIFORM:
        break;
    }
    return rand_uniform(r, a, b);
}

uint32_t rand_unique(struct rand *r)
{
    /* Each draw of each thread starts from a different number; the bijection below depends on
     * the seed. */
    uint32_t x = (uint32_t)(r->thread + r->unique_drawn++ * r->config->threads);

    for (unsigned i = 0; i < ARRAY_SIZE(r->unique_key); i++) {
        x = (x ^ r->unique_key[i]) * UINT32_C(0x9e3779b1); /* an odd factor can be inverted … */
        x ^= x >> 15;                                      /* … and so can this shift */
    }
    return x;
}

/* Draws several symbols from one 64-bit random number: the leading digits of a fraction in base
 * n. Eight symbols leave a bias below 62^8 / 2^64 = 1.2e-5. */
struct symbols {
    uint64_t fraction;
    unsigned left;
};

static unsigned next_symbol(struct symbols *symbols, struct rand_stream *stream, unsigned n)
{
    if (symbols->left == 0)
        *symbols = (struct symbols){rand_stream_u64(stream), 8};
    symbols->left--;
    unsigned __int128 product = (unsigned __int128)symbols->fraction * n;
    symbols->fraction = (uint64_t)product;
    return (unsigned)(product >> 64);
}

size_t rand_string(struct rand *r, const char *fmt, char *buf)
{
    struct symbols symbols = {0};
    char *out = buf;

    for (; *fmt != '\0'; fmt++) {
        if (*fmt == '#')
            *out++ = (char)('0' + next_symbol(&symbols, &r->stream, 10));
        else if (*fmt == '@')
            *out++ = (char)('a' + next_symbol(&symbols, &r->stream, 26));
        else
            *out++ = *fmt;
    }
    *out = '\0';
    return (size_t)(out - buf);
}

static size_t draw_text(struct rand *r, const char *alphabet, unsigned letters, char *buf,
                        size_t min, size_t max)
{
    struct symbols symbols = {0};
    size_t length = min < max ? min + rand_stream_below(&r->stream, max - min + 1) : max;

    for (size_t i = 0; i < length; i++)
        buf[i] = alphabet[next_symbol(&symbols, &r->stream, letters)];
    buf[length] = '\0';
    return length;
}

size_t rand_varstring(struct rand *r, char *buf, size_t min, size_t max)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    return draw_text(r, alphabet, sizeof(alphabet) - 1, buf, min, max);
}

size_t rand_alnum(struct rand *r, char *buf, size_t min, size_t max)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    return draw_text(r, alphabet, sizeof(alphabet) - 1, buf, min, max);
}
