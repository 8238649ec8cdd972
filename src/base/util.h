/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small helpers that every file may use. Includes no other header of the project. */
#ifndef UTIL_H
#define UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_SEC INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

/* Percentiles are counted in millionths of a percent, so that ranks are whole numbers: 99.9 % is
 * 99 900 000. */
#define PERCENT INT64_C(1000000)

/* Two cache lines, because processors prefetch lines in pairs. */
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

/* Returns the whole part of any number. Values beyond ±2^62 are limited to nearly that, so that
 * the sum or difference of two results does not overflow. Returns 0 for NaN. */
static inline int64_t whole_part(double x)
{
    const double most = 0x1p62 - 0x1p9; /* the largest double below 2^62 */
    return x != x ? 0 : (int64_t)(x > most ? most : x < -most ? -most : x);
}

/* Converts seconds to whole nanoseconds, rounded and limited to about ±146 years. */
static inline int64_t seconds_to_ns(double seconds)
{
    double ns = seconds * 1e9;
    return whole_part(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* Returns the length of the byte order mark of UTF-8 at the start of `text`, or 0. Editors of
 * Windows write one at the beginning of a file. */
static inline size_t byte_order_mark(const char *text)
{
    return text[0] == '\xEF' && text[1] == '\xBB' && text[2] == '\xBF' ? 3 : 0;
}

/* Ends the process with a message if the allocation failed, otherwise returns `p`. The caller
 * frees the memory. */
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
