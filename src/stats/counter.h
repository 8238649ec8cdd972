/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that one thread writes and another reads while they grow. No locked instruction: the
 * owner alone writes them, except that the reader takes extremes by exchange.
 */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/util.h"

/* Memory for counters, zeroed, on cache lines of its own; `bytes` is a multiple of CACHE_ALIGN. */
static inline void *counter_calloc(size_t bytes)
{
    return memset(checked_alloc(aligned_alloc(CACHE_ALIGN, bytes)), 0, bytes);
}

/* The owner's side. */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t n)
{
    uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, old + n, memory_order_relaxed);
}

static inline void counter_extremes(_Atomic int64_t *min, _Atomic int64_t *max, int64_t value)
{
    if (UNLIKELY(value < atomic_load_explicit(min, memory_order_relaxed)))
        atomic_store_explicit(min, value, memory_order_relaxed);
    if (UNLIKELY(value > atomic_load_explicit(max, memory_order_relaxed)))
        atomic_store_explicit(max, value, memory_order_relaxed);
}

/* The values that mean "none yet". */
static inline void counter_extremes_init(_Atomic int64_t *min, _Atomic int64_t *max)
{
    atomic_init(min, INT64_MAX);
    atomic_init(max, -1);
}

/* The reader's side: how much a counter has grown since it was `*seen`. */
static inline uint64_t counter_growth(const _Atomic uint64_t *counter, uint64_t *seen)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    uint64_t delta = now - *seen;
    *seen = now;
    return delta;
}

#endif
