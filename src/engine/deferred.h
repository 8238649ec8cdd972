/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deferred work: a bounded queue between the workers of a run, which put entries, and the
 * executors, which take them. An entry has a type and a few numbers, and is copied in and out. See
 * docs/concurrency.md for its properties, operation and safety.
 *
 * Counting identity after the end of a run:
 *     queued = completed + failed + unfinished
 */
#ifndef DEFERRED_H
#define DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

#define DEFERRED_NUMBERS 8

struct deferred_entry {
    int64_t queued_ns; /* time when it was queued, CLOCK_MONOTONIC */
    unsigned type;     /* type of work, as returned by targets_find() in stats->deferred */
    unsigned count;    /* how many elements of number[] are used */
    double number[DEFERRED_NUMBERS];
};

struct deferred;

/* Creates a queue for exactly `size` entries (at least 1). */
struct deferred *deferred_create(uint32_t size);
/* Frees the queue. No thread may use it any longer. NULL is allowed. */
void deferred_destroy(struct deferred *d);

enum deferred_put {
    DEFERRED_PUT,
    DEFERRED_FULL, /* the queue is full and the entry was not added, but its queued_ns was set */
    DEFERRED_OVER  /* the queue is sealed because the run has ended; the entry was not added */
};

/* Appends the entry and sets its queued_ns to the present time. May be called by any thread. */
enum deferred_put deferred_put(struct deferred *d, struct deferred_entry *entry);

/*
 * Takes the oldest entry; sleeps while the queue is empty. Returns false if there will be no
 * further entry: the queue is sealed and empty, or closed. May be called by any thread; each entry
 * is taken exactly once.
 */
bool deferred_take(struct deferred *d, struct deferred_entry *entry);

/*
 * Ends all puts. Takers still get the remaining entries. May be called by any thread, repeatedly.
 */
void deferred_seal(struct deferred *d);
/* Ends all puts and takes. Remaining entries are left for deferred_remove(). May be called by any
 * thread, repeatedly. */
void deferred_close(struct deferred *d);
/* Removes the oldest remaining entry of a closed queue. Returns false if the queue is empty. */
bool deferred_remove(struct deferred *d, struct deferred_entry *entry);

#endif
