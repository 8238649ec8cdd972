/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of names that grows during a run (classes of operations, targets, tallies). For each name
 * and each thread it has a cell, in which this thread records.
 *
 * A new name gets the next number, starting from 0, and keeps it. There is room for REGISTRY_NAMES
 * names. The last one is "other" and stands for all names that have no room. Looking up a known
 * name takes no lock, and neither does a name that has no room. A cell is created when its thread
 * first records, and only this thread writes it. One thread, the reader, reads all cells.
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
/* Number of histograms per name, which threads share. They rarely collide there, because an
 * operation that has a name takes longer than recording it. */
#define REGISTRY_ARRAYS 8

/* Functions of the owner of a registry. */
struct registry_ops {
    size_t name_bytes; /* size of a name including its final 0; longer names are cut */
    /* Prepares what all threads share for the new name `number`. Called with the lock held. May be
     * NULL. */
    void (*add)(void *owner, unsigned number);
    /* Returns a new cell for `thread`, which is the calling thread. The registry frees it with
     * free(). */
    void *(*make_cell)(void *owner, unsigned thread, unsigned number);
};

struct registry {
    const struct registry_ops *ops;
    void *owner;
    unsigned threads;
    pthread_mutex_t lock;   /* held while a name is added */
    atomic_uint count;      /* number of names; grows with `lock` held */
    char *names;            /* `count` constant names, each in ops->name_bytes bytes */
    _Atomic(void *) *cells; /* REGISTRY_NAMES cells per thread; NULL before the first use */
};

void registry_init(struct registry *r, const struct registry_ops *ops, void *owner,
                   unsigned threads);
void registry_fini(struct registry *r);

/*
 * Returns the number of names. The caller sees all changes that add() made for the names below it.
 */
unsigned registry_count(const struct registry *r);
const char *registry_name(const struct registry *r, unsigned number);

/* Returns the number of a name, which is added if it is new. May be called by any thread. */
unsigned registry_find(struct registry *r, const char *name, size_t length);

/*
 * For totals of several processes, which are merged by name. `names` has `count` names, each
 * `stride` bytes after the previous one. Returns the number of *name among them, or `count` if
 * *name is new. If only one number is left, a new name does not get it: *name becomes
 * REGISTRY_OTHER.
 */
unsigned registry_merge(const char *names, size_t stride, unsigned count, const char **name);

/* Creates a cell. Called by registry_cell(). */
void *registry_make_cell(struct registry *r, unsigned thread, unsigned number);

/* Returns the cell for name `number` in which the calling thread `thread` records. It is created on
 * first use. */
static inline void *registry_cell(struct registry *r, unsigned thread, unsigned number)
{
    void *cell = atomic_load_explicit(&r->cells[(size_t)thread * REGISTRY_NAMES + number],
                                      memory_order_relaxed);
    return LIKELY(cell != NULL) ? cell : registry_make_cell(r, thread, number);
}

/* For the reader: returns a cell, or NULL if its thread has not recorded anything. */
static inline void *registry_peek(const struct registry *r, unsigned thread, unsigned number)
{
    return atomic_load_explicit(&r->cells[(size_t)thread * REGISTRY_NAMES + number],
                                memory_order_acquire);
}

#endif
