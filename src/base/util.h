/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small things every file may use. Includes nothing of ours. */
#ifndef UTIL_H
#define UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_SEC INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

/* Percentiles are in millionths of a percent, so that ranks are whole numbers: 99.9 % is 99 900
 * 000. */
#define PERCENT INT64_C(1000000)

/* Two lines, because processors prefetch cache lines in pairs. */
#define CACHE_ALIGN 128

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline double ns_to_ms(int64_t ns)
{
    return (double)ns / NS_PER_MS;
}
static inline double ns_to_seconds(int64_t ns)
{
    return (double)ns / NS_PER_SEC;
}

/*
 * The whole part of any number: what lies beyond ±2^62 is nearly that, so that two have a sum and a
 * difference, and what is no number is 0.
 */
static inline int64_t whole_part(double x)
{
    const double most = 0x1p62 - 0x1p9; /* the last double before */
    return x != x ? 0 : (int64_t)(x > most ? most : x < -most ? -most : x);
}

/* Seconds to whole nanoseconds, rounded; what lies beyond ±146 years is that. */
static inline int64_t seconds_to_ns(double seconds)
{
    double ns = seconds * 1e9;
    return whole_part(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* Memory that must be there: on failure the process ends with a message. The caller frees it. */
static inline void *checked_alloc(void *p)
{
    if (p == NULL) {
        fputs("FATAL: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static inline void *xcalloc(size_t count, size_t bytes)
{
    return checked_alloc(calloc(count, bytes));
}
static inline void *xrealloc(void *p, size_t bytes)
{
    return checked_alloc(realloc(p, bytes));
}
char *strdup(const char *);
static inline char *xstrdup(const char *s)
{
    return checked_alloc(strdup(s));
}

#endif
