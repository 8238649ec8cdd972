/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sequence lock: one thread, the owner, changes several values, and other threads read values
 * that belong together. The owner never waits and needs no locked instruction; readers try again if
 * the owner has changed the values in between. The values are atomic, and may be accessed with
 * relaxed order. tests/orders/sequence.cpp is the model.
 *
 * Source: H.-J. Boehm, Can Seqlocks Get Along With Programming Language Memory Models?, 2012.
 */
#ifndef SEQUENCE_LOCK_H
#define SEQUENCE_LOCK_H

#include <ck_pr.h>
#include <stdatomic.h>
#include <stdint.h>

/* `number` is 0 at first. */
struct sequence_lock {
    _Atomic uint64_t number; /* grows by 1 when a change begins and when it ends */
};

/* Begins a change. For the owner: only one thread may change values, and changes must not overlap.
 * Otherwise the number may stay odd, and readers try again without end. */
static inline void sequence_lock_begin(struct sequence_lock *lock)
{
    atomic_store_explicit(&lock->number,
                          atomic_load_explicit(&lock->number, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    ck_pr_fence_store();
}

/* Ends the change. */
static inline void sequence_lock_end(struct sequence_lock *lock)
{
    atomic_store_explicit(&lock->number,
                          atomic_load_explicit(&lock->number, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* For readers: returns the number. It is odd during a change. If calls before and after reading the
 * values return the same even number, the values belong together. */
static inline uint64_t sequence_lock_number(const struct sequence_lock *lock)
{
    ck_pr_fence_load();
    return atomic_load_explicit(&lock->number, memory_order_acquire);
}

#endif
