/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounded request queue between one generator and many workers. docs/concurrency.md has its
 * page "properties, operation, safety".
 *
 * Requests travel by value in a single-producer, multi-consumer ring (concurrencykit). Takers that
 * find it empty sleep on a semaphore; one may stand by for an expected put. put() wakes no more
 * sleepers than there are requests that nobody was woken for.
 *
 * A request may be put before it is due: whoever takes it then waits for its arrival (hold.h). That
 * is first come, first served still: the n-th request starts at its arrival, or when a taker has
 * been free for the n-th time, whichever is later (J. Kiefer and J. Wolfowitz, On the theory of
 * queues with many servers, 1955).
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct request {
    int64_t arrival_ns; /* the scheduled time, CLOCK_MONOTONIC */
    /* Of one that is put before it is due: when it could be taken. The arrival, at first; less than
     * nothing while a taker waits for the arrival; then when that one was awake. NULL: nobody wants
     * to know. */
    _Atomic int64_t *ready_ns;
};

struct queue;

/* Room for exactly `size` requests, 1 … 2^30. To keep to that for requests that are due, put none
 * ahead but while there is room. */
struct queue *queue_create(uint32_t size);
/* No thread may use it any more. */
void queue_destroy(struct queue *queue);

/*
 * The generator only: appends up to `count` requests and wakes takers. Returns how many fitted:
 * fewer than `count` means full.
 */
uint32_t queue_put(struct queue *queue, const struct request *requests, uint32_t count);
/* The generator only: how many requests fit just now. */
uint32_t queue_room(const struct queue *queue);

/*
 * Takes the oldest request, sleeping while there is none and until it is due; *slept tells whether
 * `now_ns`, the time before the call, has become old. False: there will be no further one, for the
 * queue is sealed and empty, or closed. Any thread; each request is taken exactly once.
 */
bool queue_take(struct queue *queue, int64_t now_ns, struct request *request, bool *slept);
/* Whether takers may wake a little before a request is due and look at the clock for the rest. Any
 * thread. */
void queue_allow_early(struct queue *queue, bool allowed);

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
/* CPU time that takers have spent on standing by, and on looking at the clock until a request was
 * due. Any thread. */
int64_t queue_standby_ns(const struct queue *queue);

/* Ends the arrivals now, and returns when that was: what arrives later nobody takes, it was never
 * there. The generator only, once. */
int64_t queue_cut(struct queue *queue);
/* No further put: takers get what is left, then false. Wakes everybody. Any thread, any number of
 * times. */
void queue_seal(struct queue *queue);
/*
 * Takers get nothing more, what waits stays for queue_remove(). Wakes everybody; final. Any thread.
 */
void queue_close(struct queue *queue);

/* When no taker is left, or none gets anything more because the queue is closed: takes what still
 * waits, and what takers have given back that were waiting for its arrival. False when empty. */
bool queue_remove(struct queue *queue, struct request *request);

/* One that was taken was not begun, and is not going to be: queue_remove() gives it. Any thread. */
void queue_give_back(struct queue *queue, const struct request *request);

/* How many there are, due or not; a snapshot. */
uint32_t queue_length(const struct queue *queue);

#endif
