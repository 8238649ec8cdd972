/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounded request queue between one generator and many workers. See docs/concurrency.md for its
 * properties, operation and safety. A taker is a thread that calls queue_take(): a worker.
 *
 * Requests are copied in and out of a single-producer, multi-consumer ring (concurrencykit). Takers
 * that find the ring empty sleep on a semaphore. One taker may stand by for an expected put instead
 * of sleeping. queue_put() wakes at most one sleeping taker for each request in the ring.
 *
 * A request may be put before it is due. The taker that gets it waits for its arrival (hold.h). The
 * order is still first come, first served: the n-th request starts at its arrival, or when a taker
 * has become free for the n-th time, whichever is later (J. Kiefer and J. Wolfowitz, On the theory
 * of queues with many servers, 1955).
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct request {
    int64_t arrival_ns; /* scheduled arrival time, CLOCK_MONOTONIC */
    /* For a request that is put before it is due: the time when it could be taken. The value is
     * first the arrival time, then negative while a taker waits for the arrival, then the time when
     * this taker was awake. NULL if this time is not needed. */
    _Atomic int64_t *ready_ns;
};

struct queue;

/* Creates a queue for exactly `size` requests, 1 … 2^30. Requests that are not due yet must be put
 * only while queue_room() > 0. Otherwise they would take room from requests that are due. */
struct queue *queue_create(uint32_t size);
/* Frees the queue. No thread may use it any longer. */
void queue_destroy(struct queue *queue);

/*
 * Appends up to `count` requests and wakes takers. Returns how many requests fitted; fewer than
 * `count` means that the queue is full. To be called by the generator only.
 */
uint32_t queue_put(struct queue *queue, const struct request *requests, uint32_t count);
/* Returns how many more requests fit at present. To be called by the generator only. */
uint32_t queue_room(const struct queue *queue);

/*
 * Takes the oldest request and waits until it is due; sleeps while the queue is empty. `now_ns` is
 * the time before the call; *slept is set to true if the caller must read the clock again. Returns
 * false if there will be no further request: the queue is sealed and empty, or closed. May be
 * called by any thread; each request is taken exactly once.
 */
bool queue_take(struct queue *queue, int64_t now_ns, struct request *request, bool *slept);
/* Sets whether takers may wake shortly before a request is due and spin for the remaining time. May
 * be called by any thread. */
void queue_allow_early(struct queue *queue, bool allowed);

/*
 * Announces the next put at `at_ns` (CLOCK_MONOTONIC), so that one taker may stand by on another
 * processor. INT64_MAX means that no put is expected soon, or that takers must not use CPU time for
 * standing by. To be called by the generator only, while it spins.
 */
void queue_expect(struct queue *queue, int64_t at_ns);
/* Wakes a taker for the expected put, which is near, unless a woken taker is about to look at the
 * ring. To be called by the generator only. */
void queue_alert(struct queue *queue);
/*
 * Returns true if requests wait for the standby taker, which takes them at once if it has a
 * processor.
 */
bool queue_relies_on_standby(const struct queue *queue);
/* If requests still wait for the standby taker, wakes another one. To be called by the generator
 * only. */
void queue_relieve_standby(struct queue *queue);
/* Returns the CPU time in nanoseconds that takers have spent standing by, and spinning until a
 * request was due. May be called by any thread. */
int64_t queue_standby_ns(const struct queue *queue);

/* Ends the arrivals now and returns the time of the end. Requests that would arrive later are
 * revoked: they are not taken and do not count as arrived. To be called by the generator only,
 * once. */
int64_t queue_cut(struct queue *queue);
/* Ends all puts: takers get the remaining requests, then false. Wakes all takers. May be called by
 * any thread, repeatedly. */
void queue_seal(struct queue *queue);
/*
 * Ends all takes: remaining requests are left for queue_remove(). Wakes all takers. Cannot be
 * undone. May be called by any thread, repeatedly.
 */
void queue_close(struct queue *queue);

/*
 * Removes a request that was not served: one that is still queued, or one that was given back.
 * Returns false if no request is left. To be called when no taker is left, or when the queue is
 * closed.
 */
bool queue_remove(struct queue *queue, struct request *request);

/* Returns a request to the queue that was taken but will not be started; only queue_remove() gets
 * it. May be called by any thread. */
void queue_give_back(struct queue *queue, const struct request *request);

/* Returns how many requests are in the ring at the moment, due or not. */
uint32_t queue_length(const struct queue *queue);

#endif
