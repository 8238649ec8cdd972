/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers: take → execute the event → record. The loop itself belongs to the workload
 * (src/workloads/script/lua/run.lua, builtin.c), which asks for each event through worker_api.h:
 * worker_next(), or sb_more_events() and sb_event_start/stop().
 *
 * Closed loop, arrival rate, terminals and deferred work differ in where the next event comes from,
 * and the last in what is recorded of it, nowhere else.
 */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rand.h"
#include "engine/deferred.h"
#include "engine/queue.h"
#include "engine/terminals.h"
#include "engine/workload.h"
#include "options/settings.h"
#include "stats/request_log.h"
#include "stats/spans.h"
#include "stats/stats.h"

enum gate { GATE_SHUT, GATE_OPEN, GATE_ABANDONED };

/*
 * What the workers of a run share. Read-mostly; what is written often has cache lines of its own.
 */
struct worker_pool {
    const struct settings *settings;
    struct workload workload;
    struct stats *stats;
    struct queue *queue;         /* NULL: closed loop */
    struct terminals *terminals; /* who sends requests; NULL: a worker does when it is free */
    struct deferred *deferred;   /* where events put off work; NULL: nowhere */
    struct deferred *work;       /* these are executors, which take it there; NULL: workers */
    struct request_log *log;     /* NULL: not asked for */
    void (*notify)(void *arg);   /* any thread: something below has changed */
    void *arg;

    /* Set before the gate opens; CLOCK_MONOTONIC. */
    int64_t start_ns;
    int64_t measure_ns;  /* arrivals from here on are measured: the end of the warm-up */
    int64_t end_ns;      /* no event starts later in a closed loop; INT64_MAX: no limit */
    int64_t give_up_ns;  /* no event is started again later, and at an arrival rate none is taken */
    struct spans *spans; /* NULL: not asked for */

    atomic_bool stop;    /* no event starts any more */
    atomic_bool failed;  /* the workload failed: exit 1 */
    atomic_uint ready;   /* threads that have been set up, well or not */
    atomic_uint came;    /* threads that have begun their run loop */
    atomic_uint running; /* those of them that are in it still */
    atomic_uint left;    /* threads whose script wants no more events */
    atomic_uint exited;  /* threads that have nothing left to do */
    atomic_uint parked;  /* of the events set aside, those that wait (worker_park()) */
    atomic_bool warned;  /* the warning of sb_more_events() before sb_event_stop() was logged */
    _Alignas(CACHE_ALIGN) _Atomic int64_t events_left; /* closed loop with --events; else unused */

    _Alignas(CACHE_ALIGN)
        pthread_mutex_t lock; /* guards `gate`; `gate_moved` tells of its change */
    pthread_cond_t gate_moved;
    enum gate gate;
    unsigned count; /* workers that were started */
    struct worker *workers;
};

struct worker {
    _Alignas(CACHE_ALIGN) struct worker_pool *pool;
    struct stats_thread *stats;
    struct request_log_thread *log; /* NULL: not asked for */
    unsigned id;                    /* in this process */
    /* A sequence lock over the fields up to detached_start_ns and what is recorded in stats: one
     * more when an update of them begins and when it ends, so odd while it goes on. */
    _Atomic uint64_t sequence;
    _Atomic int64_t claimed_arrival_ns;  /* of the event that was taken and has not started (scripts
                                            with their own loop); 0: there is none */
    int64_t arrival_ns;                  /* of the event that was taken last */
    _Atomic int64_t start_ns;            /* of the event that was started last */
    _Atomic int64_t serving_arrival_ns;  /* of the event in service; 0: there is none */
    _Atomic int64_t last_end_ns;         /* when the last event ended; 0: none yet */
    _Atomic uint32_t detached[PHASES];   /* events set aside by worker_detach(), by the phase that
                                            they arrived in … */
    _Atomic int64_t detached_arrival_ns; /* … the latest arrival among them and those before … */
    _Atomic int64_t detached_start_ns;   /* … and the latest start */
    struct rand rand;
    struct workload_worker lent; /* to the workload */
    struct deferred_entry entry; /* an executor's, in service */
    struct visit visit;          /* of a terminal: the request taken last */
    bool released;               /* the terminal of the event in service was released before its
                                    end; `visit` is then not its request */
    int64_t pause_ns;            /* how long behind it the terminal sends the next, */
    double next_memo;            /* and what is to be known of that */
    pthread_t thread;
};

/* The thread of a worker, which is its argument, to the end; NULL. */
void *worker_main(void *worker);

/*
 * Starts settings->threads workers, or as many executors as settings->deferred_threads; they set
 * themselves up and wait at the gate. The pool's first
 * block of fields is the caller's to fill. −1 after a logged message when a thread cannot be
 * started; those that were are counted in pool->count.
 */
int worker_pool_start(struct worker_pool *pool);

/* Lets the workers go, or sends them home. */
void worker_pool_gate(struct worker_pool *pool, enum gate gate);

/* Events in service just now: one per worker that executes one, and those set aside that do not
 * wait.
 */
unsigned worker_pool_serving(const struct worker_pool *pool);
/*
 * Whether no worker is just now beginning or ending an event. Then what each holds is in its fields
 * and in no counter. What was read of both since fits together if a later call is true too and
 * gives the same sequence.
 */
bool worker_pool_settled(const struct worker_pool *pool, uint64_t *sequence);
/* When the last event ended (CLOCK_MONOTONIC), or 0. */
int64_t worker_pool_last_end_ns(const struct worker_pool *pool);

/*
 * Several events at a time in one worker (a workload's loop; the calling thread is the worker). An
 * event that worker_next() has begun is set aside, goes on by itself, is taken back when it is
 * over, and finished. Between the two the worker may begin others. Counters count for the event in
 * service.
 */
struct worker_request {
    int64_t arrival_ns, start_ns;
    struct worker *worker; /* that has set it aside */
};
void worker_detach(struct worker_request *request);
void worker_resume(const struct worker_request *request);
void worker_finish(bool done); /* the event in service; false: it has failed */
/* The same for an event that has to wait for something else than a worker: it is in service when it
 * is taken back, by whichever worker. */
void worker_park(struct worker_request *request);
void worker_unpark(struct worker_request *request);
/*
 * The event in service was not begun, and is not going to be: it counts as one that still waited
 * when the run ended. At an arrival rate only.
 */
void worker_give_back(void);
/* Whether no event is to be begun any more. */
bool worker_is_over(void);
/* When the event in service, or the one that was taken last, arrived: since the start of the run.
 */
int64_t worker_arrival_ns(void);
/* Whether worker_next() would have to wait for a request to arrive. */
bool worker_would_wait(void);

/*
 * When all have exited: waits for the threads and frees what worker_pool_start() made. Of a pool
 * that was never started: does nothing.
 */
void worker_pool_join(struct worker_pool *pool);

/* Puts off work, and counts it. The calling thread is the worker, whose pool has a queue for it. */
enum deferred_put worker_put_off(struct worker *worker, struct deferred_entry *entry);

/* Makes the calling thread the thread of `worker`; for worker_main(). */
void worker_adopt(struct worker *worker);
/* The worker that the calling thread is; NULL: none. */
struct worker *worker_of_thread(void);
bool worker_is_serving(const struct worker *worker);
/* Whether the worker serves a request of a terminal, which is in its `visit`. */
bool worker_has_visit(const struct worker *worker);

/* Ends the run of the calling thread's worker with an error; without effect in other threads. */
void worker_fail(void);

#endif
