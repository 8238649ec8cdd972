/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers: each takes an event, executes it, and records it. The loop belongs to the workload
 * (src/workloads/script/lua/run.lua, builtin.c), which fetches each event through worker_api.h:
 * worker_next(), or sb_more_events() and sb_event_start/stop().
 *
 * There are four sources of events: a closed loop, an arrival rate, users (terminals or sessions),
 * and deferred work.
 * They differ only in the function that takes the next event; deferred work is also recorded
 * differently.
 */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rand.h"
#include "base/sequence_lock.h"
#include "engine/deferred.h"
#include "engine/policies/attempt.h"
#include "engine/queue.h"
#include "engine/terminals.h"
#include "engine/workload.h"
#include "options/settings.h"
#include "stats/request_log.h"
#include "stats/spans.h"
#include "stats/stats.h"
#include "stats/waits.h"

enum gate { GATE_SHUT, GATE_OPEN, GATE_ABANDONED };

/*
 * The state that the workers of a run share. It is mostly read; fields that are written often have
 * cache lines of their own.
 */
struct worker_pool {
    const struct settings *settings;
    struct workload workload;
    struct stats *stats;
    struct queue *queue;         /* requests at an arrival rate; NULL in a closed loop */
    struct terminals *terminals; /* users that send the requests; NULL if free workers start
                                    events */
    struct deferred *deferred;   /* queue to which events defer work; NULL if they defer none */
    struct deferred *work;       /* queue from which executors take work; NULL in a pool of
                                    workers */
    struct request_log *log;     /* NULL if not asked for */
    struct retry_budget budget;  /* of all workers, for further attempts at requests */
    void (*notify)(void *arg);   /* called by any thread when a field below has changed */
    void *arg;

    /* These times are CLOCK_MONOTONIC and are set before the gate opens. */
    int64_t start_ns;
    int64_t measure_ns;  /* end of the warm-up: later arrivals are measured */
    int64_t end_ns;      /* closed loop: no event starts at or after this time; INT64_MAX if
                            there is no limit */
    int64_t give_up_ns;  /* later no event is retried, and no request is taken at an arrival rate */
    struct spans *spans; /* NULL if not asked for */
    struct spans *phases; /* phases of the arrival rate; NULL if the rate is constant */
    struct waits *waits;  /* NULL if not asked for */
    /* True if `spans`, `phases` or `waits` is set, clients have a policy, or workers share
     * connections: the ends of events are then recorded there, too. */
    bool observed;

    atomic_bool stop;    /* no further event starts */
    atomic_bool failed;  /* the workload failed, so the exit status is 1 */
    atomic_uint ready;   /* number of threads whose setup has ended, successfully or not */
    atomic_uint came;    /* number of threads that have entered their run loop */
    atomic_uint running; /* number of threads that are in their run loop */
    atomic_uint left;    /* number of threads whose script wants no more events */
    atomic_uint exited;  /* number of threads that have done everything */
    atomic_uint parked;  /* number of detached events that wait (worker_park()) */
    atomic_bool warned;  /* the warning about sb_more_events() before sb_event_stop() was logged */
    _Alignas(CACHE_ALIGN) _Atomic int64_t events_left; /* events left to start; used in a closed
                                                          loop with --events */

    _Alignas(CACHE_ALIGN)
        pthread_mutex_t lock; /* guards `gate`; `gate_moved` signals a change of it */
    pthread_cond_t gate_moved;
    enum gate gate;
    unsigned count; /* number of workers that were started */
    struct worker *workers;
};

struct worker {
    _Alignas(CACHE_ALIGN) struct worker_pool *pool;
    struct stats_thread *stats;
    struct request_log_thread *log; /* NULL if not asked for */
    unsigned id;                    /* number in this process, counted from 0 */
    struct sequence_lock sequence;  /* for the fields up to detached_start_ns and for the
                                       records in `stats`; see worker_pool_settled() */
    _Atomic int64_t claimed_arrival_ns;  /* arrival of the event that was taken but has not
                                            started (scripts with their own loop), or 0 */
    int64_t arrival_ns;                  /* arrival of the event that was taken last */
    _Atomic int64_t start_ns;            /* start of the event that was started last */
    _Atomic int64_t serving_arrival_ns;  /* arrival of the event in service, or 0 */
    _Atomic int64_t last_end_ns;         /* end of the event that ended last; 0 before the first
                                            one */
    _Atomic uint32_t detached[PHASES];   /* number of events that worker_detach() has set aside,
                                            by the phase in which they arrived */
    _Atomic int64_t detached_arrival_ns; /* latest arrival of all events that were ever detached */
    _Atomic int64_t detached_start_ns;   /* latest start of all events that were ever detached */
    struct rand rand;
    struct workload_worker lent; /* passed to the workload */
    struct deferred_entry entry; /* the work in service; used by executors */
    struct visit visit;          /* the request that was taken last; used with terminals */
    bool released;               /* the terminal of the event in service was released before the
                                    end of the event, so `visit` is another request */
    int64_t pause_ns;            /* time from the end of the event to the terminal's next request */
    struct attempt attempt;      /* at the request in service; used with a policy of the clients */
    /* Waits of the request in service for a connection of the pool that have ended, and the
     * beginning of the present one, or 0. Only the worker changes them. */
    _Atomic int64_t connection_wait_ns, connection_since_ns;
    double next_memo; /* workload value passed back with the terminal's next request */
    pthread_t thread;
};

/* The thread function of a worker; the argument is the struct worker. Returns NULL. */
void *worker_main(void *worker);

/*
 * Starts settings->threads workers, or settings->deferred_threads executors. They set themselves up
 * and wait at the gate. The caller must have filled in the first block of fields of the pool.
 * Returns −1 after logging a message if a thread cannot be started; pool->count is the number of
 * threads that were started.
 */
int worker_pool_start(struct worker_pool *pool);

/* GATE_OPEN: the workers begin their run loop. GATE_ABANDONED: the workers end without running. */
void worker_pool_gate(struct worker_pool *pool, enum gate gate);

/* Returns how many events are in service: those that workers execute, and detached events that do
 * not wait. */
unsigned worker_pool_serving(const struct worker_pool *pool);
/*
 * Returns true if no worker is beginning or ending an event at the moment, and sets *sequence. Then
 * each event in progress is in the fields of its worker and in no counter. Values that the caller
 * reads after this call are consistent if a later call returns true too and gives the same
 * sequence.
 */
bool worker_pool_settled(const struct worker_pool *pool, uint64_t *sequence);
/* Returns when the last event ended (CLOCK_MONOTONIC), or 0 if no event has ended. */
int64_t worker_pool_last_end_ns(const struct worker_pool *pool);
/*
 * Reads the arrival and the start of the event that a worker has in service. Returns false if the
 * worker has no event in service. `pool` is a struct worker_pool. If the start is before the call,
 * the two values belong together, because a worker changes them only while it begins or ends an
 * event.
 */
bool worker_pool_read_serving(void *pool, unsigned worker, int64_t *arrival_ns, int64_t *start_ns);

/*
 * These functions allow several events at a time in one worker, which must be the calling thread.
 * worker_detach() sets the event in service aside and fills in *request. The event continues by
 * itself, and the worker may begin other events. worker_resume() makes the detached event the one
 * in service again, and worker_finish() ends it. Counters count for the event in service.
 */
struct worker_request {
    int64_t arrival_ns, start_ns;
    struct worker *worker; /* the worker that detached the event */
};
void worker_detach(struct worker_request *request);
void worker_resume(const struct worker_request *request);
void worker_finish(bool done); /* ends the event in service; `done` is false if it has failed */
/* Like worker_detach() and worker_resume(), for an event that waits for something other than a
 * worker. Its service begins at worker_unpark(), which any worker may call. */
void worker_park(struct worker_request *request);
void worker_unpark(struct worker_request *request);
/*
 * Gives back the event in service, which was not begun and will not be. It counts as a request that
 * was still queued at the end of the run. Only allowed at an arrival rate.
 */
void worker_give_back(void);
/* Returns true if no further event may begin. */
bool worker_is_over(void);
/* Returns the arrival of the event in service, or of the event that was taken last, in nanoseconds
 * since the start of the run. */
int64_t worker_arrival_ns(void);
/* Returns true if worker_next() would have to wait for a request to arrive. */
bool worker_would_wait(void);

/*
 * Waits for the threads, which must be about to exit, and frees all that worker_pool_start() has
 * allocated. Does nothing if the pool was never started.
 */
void worker_pool_join(struct worker_pool *pool);

/* Defers work and counts it. The calling thread must be `worker`, and its pool must have a queue
 * for deferred work. */
enum deferred_put worker_put_off(struct worker *worker, struct deferred_entry *entry);

/* Makes the calling thread the thread of `worker`. For worker_main() only. */
void worker_adopt(struct worker *worker);
/* Returns the worker of the calling thread, or NULL if the thread is not a worker. */
struct worker *worker_of_thread(void);
bool worker_is_serving(const struct worker *worker);

/*
 * For the statements of the calling thread, if clients have a policy. worker_deadline_ns() returns
 * the deadline of the request in service (CLOCK_MONOTONIC), or INT64_MAX if there is none, and sets
 * *fresh as attempt_deadline_ns() does. worker_note_failure() records the kind of an error;
 * `unsent` is true if the statement was not sent.
 */
int64_t worker_deadline_ns(bool *fresh);
void worker_note_failure(enum failure_kind kind, bool unsent);
/* The wait for a connection of the pool begins, and ends after `ns`. It belongs to the request in
 * service of the calling thread, if the thread serves one. */
void worker_begin_connection_wait(int64_t now_ns);
void worker_end_connection_wait(int64_t ns);
/* Returns how long the request in service of a worker has waited for connections until now. */
static inline int64_t worker_connection_wait_ns(const struct worker *w, int64_t now_ns)
{
    const int64_t since_ns = atomic_load_explicit(&w->connection_since_ns, memory_order_relaxed);
    return atomic_load_explicit(&w->connection_wait_ns, memory_order_relaxed) +
           (since_ns != 0 ? max_i64(0, now_ns - since_ns) : 0);
}
/* Returns true if the worker serves the request of a terminal that is in its `visit`. */
bool worker_has_visit(const struct worker *worker);

/* Ends the run with an error. Has no effect if the calling thread is not a worker. */
void worker_fail(void);

#endif
