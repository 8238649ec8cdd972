/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounded request queue between one generator and many workers. docs/concurrency.md has its
 * page "properties, operation, safety".
 *
 * Requests travel by value in a single-producer, multi-consumer ring (concurrencykit). Takers that
 * find it empty sleep on a semaphore; one may stand by for an expected put. put() wakes no more
 * sleepers than there are requests that nobody was woken for.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct request {
    int64_t arrival_ns; /* the scheduled time, CLOCK_MONOTONIC */
};

struct queue;

/* Room for exactly `size` requests, 1 … 2^30. */
struct queue *queue_create(uint32_t size);
/* No thread may use it any more. */
void queue_destroy(struct queue *queue);

/*
 * The generator only: appends up to `count` requests and wakes takers. Returns how many fitted:
 * fewer than `count` means full.
 */
uint32_t queue_put(struct queue *queue, const struct request *requests, uint32_t count);

/*
 * Takes the oldest request, sleeping while there is none; *slept tells whether it did. False: there
 * will be no further one, for the queue is sealed and empty, or closed. Any thread; each request is
 * taken exactly once.
 */
bool queue_take(struct queue *queue, struct request *request, bool *slept);

/*
 * The generator only, which spins: when it will put next (CLOCK_MONOTONIC), so that a taker may
 * stand by for it, on another processor. INT64_MAX: not soon, or no taker shall spend CPU time on
 * that.
 */
void queue_expect(struct queue *queue, int64_t at_ns);
/* The generator only: the expected put is near. Wakes a taker unless one is awake and about to
 * look. */
void queue_alert(struct queue *queue);
/*
 * Whether requests wait for a taker that stands by; it takes them at once, if it has a processor.
 */
bool queue_relies_on_standby(const struct queue *queue);
/* The generator only: wakes another taker in place of the one that stands by, where requests still
 * wait for that. */
void queue_relieve_standby(struct queue *queue);
/* CPU time that takers have spent on standing by. Any thread. */
int64_t queue_standby_ns(const struct queue *queue);

/* No further put: takers get what is left, then false. Wakes everybody. Any thread, any number of
 * times. */
void queue_seal(struct queue *queue);
/*
 * Takers get nothing more, what waits stays for queue_remove(). Wakes everybody; final. Any thread.
 */
void queue_close(struct queue *queue);

/* When no taker is left, or none gets anything more because the queue is closed: takes what still
 * waits. False when empty. */
bool queue_remove(struct queue *queue, struct request *request);

/* How many wait; a snapshot. */
uint32_t queue_length(const struct queue *queue);

#endif
