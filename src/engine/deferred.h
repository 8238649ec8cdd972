/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that events put off: a bounded queue between the workers of a run, which put, and executors,
 * which take. An entry has a type and a few numbers, and travels by value. docs/concurrency.md has
 * its page "properties, operation, safety".
 *
 * Counting identity, when a run has ended:
 *     queued = completed + failed + unfinished
 */
#ifndef DEFERRED_H
#define DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

#define DEFERRED_NUMBERS 8

struct deferred_entry {
    int64_t queued_ns; /* CLOCK_MONOTONIC */
    unsigned type;     /* targets_find() in stats->deferred */
    unsigned count;    /* of the numbers */
    double number[DEFERRED_NUMBERS];
};

struct deferred;

/* Room for exactly `size` entries, ≥ 1. */
struct deferred *deferred_create(uint32_t size);
/* No thread may use it any more. NULL is allowed. */
void deferred_destroy(struct deferred *d);

enum deferred_put {
    DEFERRED_PUT,
    DEFERRED_FULL, /* it was not taken; queued_ns is set all the same */
    DEFERRED_OVER  /* nothing more is taken: the run has ended */
};

/* Appends the entry, whose queued_ns becomes the time of that. Any thread. */
enum deferred_put deferred_put(struct deferred *d, struct deferred_entry *entry);

/*
 * Takes the oldest entry, sleeping while there is none. False: there will be no further one, for
 * the queue is sealed and empty, or closed. Any thread; each entry is taken exactly once.
 */
bool deferred_take(struct deferred *d, struct deferred_entry *entry);

/* No further put: takers get what is left, then false. Any thread, any number of times. */
void deferred_seal(struct deferred *d);
/* Sealed, and takers get nothing more: what waits stays for deferred_remove(). Any thread. */
void deferred_close(struct deferred *d);
/* Takes what still waits, when it is closed. False when empty. */
bool deferred_remove(struct deferred *d, struct deferred_entry *entry);

#endif
