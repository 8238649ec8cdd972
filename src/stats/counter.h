/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that one thread (the owner) increments while another thread (the reader) reads them. The
 * owner needs no locked instruction, because no other thread writes a counter. Extremes are the
 * exception: the reader takes and resets them with an atomic exchange.
 */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/util.h"

/* Returns zeroed memory for counters, on cache lines of its own. `bytes` must be a multiple of
 * CACHE_ALIGN. Free it with free(). */
static inline void *counter_calloc(size_t bytes)
{
    return memset(checked_alloc(aligned_alloc(CACHE_ALIGN, bytes)), 0, bytes);
}

/* For the owner: adds `n` to a counter. */
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

/* Sets the extremes to the values that mean that nothing was recorded. */
static inline void counter_extremes_init(_Atomic int64_t *min, _Atomic int64_t *max)
{
    atomic_init(min, INT64_MAX);
    atomic_init(max, -1);
}

/* For the reader: returns by how much the counter has grown since it had the value *seen, and
 * stores its current value in *seen. */
static inline uint64_t counter_growth(const _Atomic uint64_t *counter, uint64_t *seen)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    uint64_t delta = now - *seen;
    *seen = now;
    return delta;
}

#endif
