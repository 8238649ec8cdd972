/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/worker.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/worker_api.h"
#include "stats/slow/exemplars.h"

static _Thread_local struct worker *self;

static bool is_over(const struct worker_pool *pool)
{
    return atomic_load_explicit(&pool->stop, memory_order_relaxed);
}

/* Counts down --events. Returns false if no event is left. */
static bool claim_event(struct worker_pool *pool)
{
    if (pool->settings->events == 0)
        return true;
    return atomic_fetch_sub_explicit(&pool->events_left, 1, memory_order_relaxed) > 0;
}

static bool claim_closed_loop(struct worker *w, int64_t now_ns)
{
    struct worker_pool *pool = w->pool;
    if (UNLIKELY(now_ns >= pool->end_ns || is_over(pool) || !claim_event(pool)))
        return false;
    w->arrival_ns = now_ns;
    return true;
}

/* Takes the next request. If that took time, *now_ns is read again. */
static bool claim_request(struct worker *w, int64_t *now_ns)
{
    struct worker_pool *pool = w->pool;
    struct request request;
    bool slept;
    /* The queue is closed slightly later than give_up_ns. Requests that still wait must not be
     * started. */
    if (UNLIKELY(*now_ns >= pool->give_up_ns))
        return false;
    bool taken = queue_take(pool->queue, *now_ns, &request, &slept);
    if (slept)
        *now_ns = clock_now_ns();
    if (taken)
        w->arrival_ns = request.arrival_ns;
    return taken;
}

static bool claim_deferred(struct worker *w, int64_t *now_ns)
{
    bool taken = deferred_take(w->pool->work, &w->entry);
    *now_ns = clock_now_ns();
    if (taken)
        w->arrival_ns = w->entry.queued_ns;
    return taken;
}

/* Takes the next request that a terminal has sent. */
static bool claim_visit(struct worker *w, int64_t *now_ns)
{
    struct worker_pool *pool = w->pool;
    if (is_over(pool) || !claim_event(pool))
        return false;
    bool taken = terminals_take(pool->terminals, w->id, pool->end_ns, &w->visit);
    *now_ns = clock_now_ns();
    w->arrival_ns = w->visit.sent_ns;
    w->pause_ns = 0;
    w->next_memo = 0;
    return taken;
}

static inline bool claim(struct worker *w, int64_t *now_ns)
{
    const struct worker_pool *pool = w->pool;
    if (pool->queue != NULL)
        return claim_request(w, now_ns);
    if (LIKELY(pool->work == NULL && pool->terminals == NULL))
        return claim_closed_loop(w, *now_ns);
    return pool->work != NULL ? claim_deferred(w, now_ns) : claim_visit(w, now_ns);
}

/* True if requests can wait for a worker. */
static inline bool has_waits(const struct worker_pool *pool)
{
    return pool->queue != NULL || pool->terminals != NULL;
}

static inline void begin(struct worker *w, int64_t now_ns)
{
    atomic_store_explicit(&w->start_ns, now_ns, memory_order_relaxed);
    stats_enter(w->stats, w->arrival_ns < w->pool->measure_ns ? PHASE_WARMUP : PHASE_MEASURED);
    if (UNLIKELY(w->pool->work != NULL))
        stats_serve_deferred(w->stats, w->entry.type);
    atomic_store_explicit(&w->serving_arrival_ns, w->arrival_ns, memory_order_relaxed);
}

static inline int64_t serving_arrival_ns(const struct worker *w)
{
    return atomic_load_explicit(&w->serving_arrival_ns, memory_order_relaxed);
}

static inline bool is_serving(const struct worker *w)
{
    return serving_arrival_ns(w) != 0;
}

static void log_request(struct worker *w, int64_t now_ns)
{
    if (serving_arrival_ns(w) >= w->pool->measure_ns)
        request_log_add(w->log, serving_arrival_ns(w), w->start_ns, now_ns);
}

/* Records wait and service time, and the departure from the queue. `connection_wait_ns` is the part
 * of the time since the start that is not service. */
static inline void record_wait_and_service(struct worker *w, int64_t now_ns, bool done,
                                           int64_t connection_wait_ns)
{
    int64_t start_ns = atomic_load_explicit(&w->start_ns, memory_order_relaxed);
    stats_record(w->stats, METRIC_WAIT, start_ns - serving_arrival_ns(w));
    stats_record(w->stats, done ? METRIC_SERVICE : METRIC_FAILED_SERVICE,
                 now_ns - start_ns - connection_wait_ns);
    if (w->pool->queue != NULL)
        stats_record_departure(w->stats, now_ns - w->pool->start_ns);
}

static void record_span(struct worker *w, struct spans *spans, int64_t response_ns, bool done)
{
    if (done)
        spans_record(spans, w->id, serving_arrival_ns(w), response_ns);
    else
        spans_record_failure(spans, w->id, serving_arrival_ns(w), response_ns);
}

static int type_of(const struct worker *w)
{
    return w->stats->type != NULL ? targets_of_thread(w->stats->types, w->id) : -1;
}

static void record_waits(struct worker *w, int64_t now_ns, bool done)
{
    const struct wait_request request = {
        .arrival_ns = serving_arrival_ns(w),
        .start_ns = atomic_load_explicit(&w->start_ns, memory_order_relaxed),
        .end_ns = now_ns,
        .connection_wait_ns = worker_connection_wait_ns(w, now_ns),
        .before_ns = atomic_load_explicit(&w->last_end_ns, memory_order_relaxed),
        .measured = serving_arrival_ns(w) >= w->pool->measure_ns,
        .outcome = done ? EXEMPLAR_COMPLETED : EXEMPLAR_FAILED,
        .type = type_of(w)};
    waits_end(w->pool->waits, w->id, &request);
}

/* Records the wait for a connection and returns it. */
static int64_t leave_pool(struct worker *w)
{
    const int64_t ns = atomic_exchange_explicit(&w->connection_wait_ns, 0, memory_order_relaxed);
    w->attempt.failure = FAILURE_NONE;
    stats_record_connection_wait(w->stats, ns);
    return ns;
}

/* Gives connections back while the event still counts as in service, and readers need not wait: a
 * server that does not answer can hold up the worker here. */
static void give_back(struct worker *w)
{
    sequence_lock_end(&w->sequence);
    w->pool->workload.ops->event_ended();
    sequence_lock_begin(&w->sequence);
}

static inline __attribute__((always_inline)) void
record_times(struct worker *w, int64_t now_ns, bool done, int64_t connection_wait_ns)
{
    int64_t response_ns = now_ns - serving_arrival_ns(w);
    if (UNLIKELY(w->log != NULL) && done)
        log_request(w, now_ns);
    stats_count(w->stats, done ? COUNTER_EVENT : COUNTER_FAILED, 1);
    stats_record(w->stats, done ? METRIC_RESPONSE : METRIC_FAILED, response_ns);
    if (has_waits(w->pool))
        record_wait_and_service(w, now_ns, done, connection_wait_ns);
}

static __attribute__((noinline)) void record_observed(struct worker *w, int64_t now_ns, bool done)
{
    const bool has_pool = w->pool->workload.has_pool;
    const int64_t response_ns = now_ns - serving_arrival_ns(w);
    if (has_pool)
        give_back(w);
    if (w->pool->spans != NULL)
        record_span(w, w->pool->spans, response_ns, done);
    if (w->pool->phases != NULL)
        record_span(w, w->pool->phases, response_ns, done);
    if (w->pool->waits != NULL)
        record_waits(w, now_ns, done);
    if (w->attempt.policy != NULL)
        attempt_end(&w->attempt, w->stats, now_ns, done);
    record_times(w, now_ns, done, has_pool ? leave_pool(w) : 0);
}

static inline __attribute__((always_inline)) void record_event(struct worker *w, int64_t now_ns,
                                                               bool done)
{
    if (UNLIKELY(w->pool->observed))
        record_observed(w, now_ns, done);
    else
        record_times(w, now_ns, done, 0);
}

static void record_deferred(struct worker *w, int64_t now_ns, bool done)
{
    if (w->pool->workload.has_pool)
        give_back(w);
    atomic_store_explicit(&w->connection_wait_ns, 0, memory_order_relaxed);
    stats_end_deferred(w->stats, w->start_ns - serving_arrival_ns(w), now_ns - w->start_ns, done);
}

/* Records the end of the event in service. Inlined, so that `done` is a constant in the path of
 * every event and costs nothing. */
static inline __attribute__((always_inline)) void record_end(struct worker *w, int64_t now_ns,
                                                             bool done)
{
    if (LIKELY(w->pool->work == NULL))
        record_event(w, now_ns, done);
    else
        record_deferred(w, now_ns, done);
    atomic_store_explicit(&w->serving_arrival_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&w->last_end_ns, now_ns, memory_order_relaxed);
}

/* Ends the request of the session in `visit`, and records the session if it ends, too. */
static void leave_session(struct worker *w, int64_t now_ns)
{
    const int64_t begun_ns = terminals_end_request(w->pool->terminals, &w->visit, now_ns);
    if (begun_ns == 0)
        return;
    const enum phase phase = begun_ns < w->pool->measure_ns ? PHASE_WARMUP : PHASE_MEASURED;
    stats_record_session(w->stats, phase, max_i64(0, now_ns - begun_ns));
}

static void release_terminal(struct worker *w, int64_t now_ns)
{
    if (w->visit.session.number > 0)
        leave_session(w, now_ns);
    else
        terminals_return(w->pool->terminals, w->visit.terminal, clock_after_ns(now_ns, w->pause_ns),
                         w->next_memo);
}

/* Lets the terminal of the event that ends send its next request, unless it was released before. */
static void end_visit(struct worker *w, int64_t now_ns)
{
    if (!w->released)
        release_terminal(w, now_ns);
    w->released = false;
}

static inline void complete(struct worker *w, int64_t now_ns)
{
    record_end(w, now_ns, true);
    if (UNLIKELY(w->pool->terminals != NULL))
        end_visit(w, now_ns);
}

static void give_up(struct worker *w, int64_t now_ns)
{
    record_end(w, now_ns, false);
    if (w->pool->terminals != NULL)
        end_visit(w, now_ns);
}

static inline void end_event(struct worker *w, bool done)
{
    int64_t now_ns = clock_now_ns();
    sequence_lock_begin(&w->sequence);
    if (done)
        complete(w, now_ns);
    else
        give_up(w, now_ns);
    sequence_lock_end(&w->sequence);
}

/*
 * One clock reading ends an event and starts the next, unless the worker had to sleep in between.
 */
bool worker_next(void)
{
    struct worker *w = self;
    int64_t now_ns = clock_now_ns();
    sequence_lock_begin(&w->sequence);
    if (LIKELY(is_serving(w)))
        complete(w, now_ns);
    bool claimed = claim(w, &now_ns);
    if (LIKELY(claimed))
        begin(w, now_ns);
    sequence_lock_end(&w->sequence);
    return claimed;
}

bool worker_is_over(void)
{
    return clock_now_ns() >= self->pool->give_up_ns || is_over(self->pool);
}

/* Sleeps before a further attempt. Returns early if the run is over. */
static void pause_until(int64_t until_ns)
{
    for (int64_t now_ns = clock_now_ns(); now_ns < until_ns && !worker_is_over();
         now_ns = clock_now_ns())
        clock_sleep_until_ns(min_i64(until_ns, now_ns + 50 * NS_PER_MS));
}

/* Returns true if no connection of the pool was free in time, and forgets this. */
static bool pool_timed_out(struct worker *w)
{
    const bool result = w->attempt.failure == FAILURE_POOL;
    w->attempt.failure = FAILURE_NONE;
    return result;
}

/* True if the policy of the clients lets the worker execute the failed request again. */
static bool policy_allows(struct worker *w)
{
    if (w->pool->workload.has_pool)
        w->pool->workload.ops->event_ended();
    if (w->attempt.policy == NULL)
        return !pool_timed_out(w);
    const int64_t start_ns = atomic_load_explicit(&w->start_ns, memory_order_relaxed);
    int64_t again_ns;
    if (!attempt_failed(&w->attempt, w->stats, start_ns, clock_now_ns(), &again_ns))
        return false;
    pause_until(again_ns);
    return true;
}

bool worker_restart(void)
{
    /* A hook that is called between two events may fail with the error that restarts an event. */
    if (!is_serving(self))
        return false;
    if (policy_allows(self) && !worker_is_over()) {
        if (self->attempt.policy != NULL)
            attempt_begin_again(&self->attempt, self->stats);
        if (UNLIKELY(self->stats->exemplars != NULL))
            exemplars_retry(self->stats->exemplars, self->id);
        return true;
    }
    end_event(self, false);
    return false;
}

/* The counter of detached events in the phase of an arrival. Events of the warm-up and of the
 * measured part may be detached at the same time. */
static _Atomic uint32_t *detached(struct worker *w, int64_t arrival_ns)
{
    return &w->detached[arrival_ns < w->pool->measure_ns ? PHASE_WARMUP : PHASE_MEASURED];
}

static void raise_to(_Atomic int64_t *latest_ns, int64_t ns)
{
    if (ns > atomic_load_explicit(latest_ns, memory_order_relaxed))
        atomic_store_explicit(latest_ns, ns, memory_order_relaxed);
}

void worker_detach(struct worker_request *request)
{
    struct worker *w = self;
    *request = (struct worker_request){w->arrival_ns,
                                       atomic_load_explicit(&w->start_ns, memory_order_relaxed), w};
    sequence_lock_begin(&w->sequence);
    raise_to(&w->detached_arrival_ns, request->arrival_ns);
    raise_to(&w->detached_start_ns, request->start_ns);
    atomic_fetch_add_explicit(detached(w, w->arrival_ns), 1, memory_order_relaxed);
    atomic_store_explicit(&w->serving_arrival_ns, 0, memory_order_relaxed);
    sequence_lock_end(&w->sequence);
}

void worker_resume(const struct worker_request *request)
{
    struct worker *w = self;
    sequence_lock_begin(&w->sequence);
    w->arrival_ns = request->arrival_ns;
    begin(w, request->start_ns);
    atomic_fetch_sub_explicit(detached(request->worker, request->arrival_ns), 1,
                              memory_order_relaxed);
    sequence_lock_end(&w->sequence);
}

void worker_park(struct worker_request *request)
{
    atomic_fetch_add(&self->pool->parked, 1);
    worker_detach(request);
}

void worker_unpark(struct worker_request *request)
{
    request->start_ns = clock_now_ns();
    worker_resume(request);
    atomic_fetch_sub(&self->pool->parked, 1);
}

void worker_finish(bool done)
{
    end_event(self, done);
}

void worker_give_back(void)
{
    struct worker *w = self;
    const struct request request = {serving_arrival_ns(w), NULL};
    sequence_lock_begin(&w->sequence);
    atomic_store_explicit(&w->serving_arrival_ns, 0, memory_order_relaxed);
    queue_give_back(w->pool->queue, &request);
    sequence_lock_end(&w->sequence);
}

int64_t worker_arrival_ns(void)
{
    return self->arrival_ns - self->pool->start_ns;
}

bool worker_would_wait(void)
{
    return self->pool->queue != NULL && queue_length(self->pool->queue) == 0;
}

void worker_leave(void)
{
    struct worker_pool *pool = self->pool;
    end_event(self, true);
    atomic_fetch_add(&pool->left, 1);
    pool->notify(pool->arg);
}

static inline bool has_claimed(const struct worker *w)
{
    return atomic_load_explicit(&w->claimed_arrival_ns, memory_order_relaxed) != 0;
}

static void warn_of_early_fetch(struct worker_pool *pool)
{
    if (!atomic_exchange(&pool->warned, true))
        log_text(LOG_WARNING, "the script asks for the next event before it stops the one in "
                              "service, whose time then includes the wait for the next: call "
                              "sb_event_stop() before sb_more_events()");
}

/*
 * The script fetches the next event while one is in service, which continues until it is stopped.
 * The terminal of the event in service is released now: a worker has room for one visit only, and
 * if each worker kept its terminal while it waits for another, no terminal might be left to send a
 * request.
 */
static void release_terminal_early(struct worker *w, int64_t now_ns)
{
    if (w->pool->terminals == NULL || w->released)
        return;
    release_terminal(w, now_ns);
    w->released = true;
}

bool sb_more_events(int thread_id)
{
    (void)thread_id;
    struct worker *w = self;
    if (w == NULL)
        return false;
    /* The script asked twice for one event: the event that was taken is kept. */
    if (has_claimed(w))
        return true;
    if (w->pool->workload.has_pool)
        w->pool->workload.ops->event_ended();
    const bool early = is_serving(w) && has_waits(w->pool);
    if (early)
        warn_of_early_fetch(w->pool);
    int64_t now_ns = clock_now_ns();
    sequence_lock_begin(&w->sequence);
    if (early)
        release_terminal_early(w, now_ns);
    bool claimed = claim(w, &now_ns);
    if (claimed)
        atomic_store_explicit(&w->claimed_arrival_ns, w->arrival_ns, memory_order_relaxed);
    sequence_lock_end(&w->sequence);
    return claimed;
}

/* Starts the event that was claimed before, or claims and starts the next one. */
static void start_event(struct worker *w, int64_t now_ns)
{
    if (is_serving(w))
        give_up(w, now_ns);
    if (!has_claimed(w) && !claim(w, &now_ns))
        return;
    if (!has_waits(w->pool))
        w->arrival_ns = now_ns;
    atomic_store_explicit(&w->claimed_arrival_ns, 0, memory_order_relaxed);
    begin(w, now_ns);
}

void sb_event_start(int thread_id)
{
    (void)thread_id;
    struct worker *w = self;
    if (w == NULL)
        return;
    int64_t now_ns = clock_now_ns();
    sequence_lock_begin(&w->sequence);
    start_event(w, now_ns);
    sequence_lock_end(&w->sequence);
}

void sb_event_stop(int thread_id)
{
    (void)thread_id;
    if (self != NULL && is_serving(self))
        end_event(self, true);
}

/* The work is queued and counted within one update, so that the counts at the end of a run are
 * consistent. */
enum deferred_put worker_put_off(struct worker *w, struct deferred_entry *entry)
{
    const struct worker_pool *pool = w->pool;
    sequence_lock_begin(&w->sequence);
    enum deferred_put result = deferred_put(pool->deferred, entry);
    enum phase phase = entry->queued_ns < pool->measure_ns ? PHASE_WARMUP : PHASE_MEASURED;
    if (result == DEFERRED_PUT)
        stats_count_queued(w->stats, phase, entry->type);
    else if (result == DEFERRED_FULL)
        stats_count_refused(w->stats, phase, entry->type);
    sequence_lock_end(&w->sequence);
    return result;
}

void worker_adopt(struct worker *worker)
{
    self = worker;
}

struct worker *worker_of_thread(void)
{
    return self;
}

bool worker_is_serving(const struct worker *worker)
{
    return is_serving(worker);
}

bool worker_has_visit(const struct worker *worker)
{
    return worker->pool->terminals != NULL && is_serving(worker) && !worker->released;
}
