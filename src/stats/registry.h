/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things that get names while a run goes on (classes of operations, targets), and what each thread
 * records of each: its cell.
 *
 * Names are few: the last is "other", and takes all that find no room any more. A name gets the
 * next number, from 0 on, and keeps it. Looking for a name that is there takes no lock, nor does
 * one for which there is no room. A cell is made when its thread first records, and written by that
 * thread only; one thread, the reader, looks at all of them.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/util.h"

#define REGISTRY_NAMES 64
/* The last name. All names that come after the first REGISTRY_NAMES - 1 share it. */
#define REGISTRY_OTHER "other"
/*
 * Histograms of each name that threads share. They hardly meet there: what is worth a name takes
 * longer than to record it.
 */
#define REGISTRY_ARRAYS 8

/* What the owner of a registry does when something is new. */
struct registry_ops {
    size_t name_bytes; /* longer names are cut to that, with the 0 at the end */
    /* Makes ready what all threads share of `number`; under a lock. */
    void (*add)(void *owner, unsigned number);
    /* Returns the cell of a thread, in which the calling one records; freed with free(). */
    void *(*make_cell)(void *owner, unsigned thread, unsigned number);
};

struct registry {
    const struct registry_ops *ops;
    void *owner;
    unsigned threads;
    pthread_mutex_t lock; /* guards adding */
    atomic_uint count;    /* grows behind `lock`; what it counts is constant */
    char *names;          /* `count` of ops->name_bytes each */
    _Atomic(void *) *cells; /* of each thread REGISTRY_NAMES; NULL: nothing recorded yet */
};

void registry_init(struct registry *r, const struct registry_ops *ops, void *owner,
                   unsigned threads);
void registry_fini(struct registry *r);

/* How many names there are: numbers below that are known to the caller with all that add() did. */
unsigned registry_count(const struct registry *r);
const char *registry_name(const struct registry *r, unsigned number);

/* The number of a name, which is added when it is new. Any thread. */
unsigned registry_find(struct registry *r, const char *name, size_t length);

/*
 * For totals of several processes, which are put together by name. `names` has `count` names, each
 * `stride` bytes after the one before. Returns the number of *name among them, or `count` if *name
 * is new. If only one number is left, a new name does not get it: *name becomes REGISTRY_OTHER.
 */
unsigned registry_merge(const char *names, size_t stride, unsigned count, const char **name);

/* Makes a cell that is not there. */
void *registry_make_cell(struct registry *r, unsigned thread, unsigned number);

/* Where `thread`, the calling one, records of `number`. */
static inline void *registry_cell(struct registry *r, unsigned thread, unsigned number)
{
    void *cell = atomic_load_explicit(&r->cells[(size_t)thread * REGISTRY_NAMES + number],
                                      memory_order_relaxed);
    return LIKELY(cell != NULL) ? cell : registry_make_cell(r, thread, number);
}

/* The reader's way to a cell; NULL: nothing recorded yet. */
static inline void *registry_peek(const struct registry *r, unsigned thread, unsigned number)
{
    return atomic_load_explicit(&r->cells[(size_t)thread * REGISTRY_NAMES + number],
                                memory_order_acquire);
}

#endif
