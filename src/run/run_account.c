/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_account.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "run/run_deferred.h"

static void add_age(struct requests *requests, int64_t age_ns)
{
    requests->oldest_ns = max_i64(requests->oldest_ns, age_ns);
    requests->age_sum_ns += (double)age_ns;
}

/* Also adds the requests to the span of their arrival, if there are spans. */
static void censor_span(struct run *run, int64_t arrival_ns, int64_t age_ns, uint64_t count)
{
    if (run->pool.spans != NULL)
        spans_censor(run->pool.spans, arrival_ns, age_ns, count);
}

static void add_waiting(struct run *run, int64_t arrival_ns, int64_t now_ns,
                        struct requests *requests)
{
    if (arrival_ns < run->pool.measure_ns)
        return;
    requests->queued++;
    add_age(requests, now_ns - arrival_ns);
    reporter_add_waiting(&run->reporter, now_ns - arrival_ns, 1);
    censor_span(run, arrival_ns, now_ns - arrival_ns, 1);
}

static void count_queued(struct run *run, int64_t now_ns, struct requests *requests)
{
    struct request request;
    while (run->queue != NULL && queue_remove(run->queue, &request))
        add_waiting(run, request.arrival_ns, now_ns, requests);
}

/* Counts the requests that terminals have sent and no worker has taken. */
static void count_sent(struct run *run, int64_t now_ns, struct requests *requests)
{
    struct visit visit;
    while (run->terminals != NULL && terminals_remove(run->terminals, run->ended_ns, &visit))
        add_waiting(run, visit.sent_ns, now_ns, requests);
}

/* Events that a worker had taken and not ended at the last snapshot. */
struct held {
    int64_t claimed_arrival_ns, serving_arrival_ns, start_ns, detached_arrival_ns,
        detached_start_ns;
    uint32_t detached;
};

static struct held held_by(const struct worker *worker)
{
    return (struct held){.claimed_arrival_ns = atomic_load(&worker->claimed_arrival_ns),
                         .serving_arrival_ns = atomic_load(&worker->serving_arrival_ns),
                         .start_ns = atomic_load(&worker->start_ns),
                         .detached_arrival_ns = atomic_load(&worker->detached_arrival_ns),
                         .detached_start_ns = atomic_load(&worker->detached_start_ns),
                         .detached = atomic_load(&worker->detached[PHASE_MEASURED])};
}

static void add_in_service(struct run *run, int64_t wait_ns, int64_t service_ns,
                           struct requests *requests)
{
    requests->in_service++;
    add_age(requests, wait_ns + service_ns);
    reporter_add_in_service(&run->reporter, wait_ns, service_ns);
}

/* Detached events have no times of their own here. Each is at least as old as the one that arrived
 * last, and has been in service for at least as long as the one that was started last. */
static void add_detached(struct run *run, const struct held *held, int64_t now_ns,
                         struct requests *requests)
{
    const int64_t age_ns = now_ns - held->detached_arrival_ns;
    for (uint32_t i = 0; i < held->detached; i++) {
        requests->in_service++;
        add_age(requests, age_ns);
        reporter_add_detached(&run->reporter, age_ns, now_ns - held->detached_start_ns);
    }
    censor_span(run, held->detached_arrival_ns, age_ns, held->detached);
}

static void count_held(struct run *run, const struct held *held, int64_t now_ns,
                       struct requests *requests)
{
    if (run->queue != NULL || run->terminals != NULL)
        add_waiting(run, held->claimed_arrival_ns, now_ns, requests);
    add_detached(run, held, now_ns, requests);
    if (held->serving_arrival_ns < run->pool.measure_ns)
        return;
    add_in_service(run, held->start_ns - held->serving_arrival_ns,
                   max_i64(0, now_ns - held->start_ns), requests);
    censor_span(run, held->serving_arrival_ns, now_ns - held->serving_arrival_ns, 1);
}

/* Takes one step per group of dropped requests. An overloaded run may have dropped hundreds of
 * millions of requests, but has at most one group per millisecond. */
static void add_dropped(struct run *run, int64_t now_ns)
{
    size_t count = 0;
    const struct drop_group *drops =
        run->generator != NULL ? generator_drops(run->generator, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (drops[i].first_ns < run->pool.measure_ns)
            continue;
        const int64_t age_ns = now_ns - drops[i].latest_ns;
        reporter_add_waiting(&run->reporter, age_ns, drops[i].count);
        censor_span(run, drops[i].latest_ns, age_ns, drops[i].count);
    }
}

/* Returns true if no worker or executor begins or ends an event at the moment
 * (worker_pool_settled()). */
static bool settled(const struct run *run, uint64_t *sequence)
{
    uint64_t of_executors;
    bool workers = worker_pool_settled(&run->pool, sequence);
    bool executors = worker_pool_settled(&run->executors, &of_executors);
    *sequence += of_executors;
    return workers && executors;
}

/* Waits until settled() returns true. Returns the sequence at that time. */
static uint64_t wait_until_settled(const struct run *run)
{
    uint64_t sequence;
    while (!settled(run, &sequence))
        interrupt_wait(clock_now_ns() + NS_PER_MS);
    return sequence;
}

/* Events that workers and executors had taken and not ended at the last snapshot. */
struct all_held {
    struct held *worker;
    struct deferred_entry *deferred;
    unsigned deferred_count;
};

/* Takes the last snapshot, and copies which events workers and executors hold at that moment.
 * Retries if a thread that was stuck has continued in between. */
static void collect_last(struct run *run, int64_t now_ns, struct all_held *held)
{
    uint64_t sequence, sequence_then;
    do {
        sequence = wait_until_settled(run);
        for (unsigned i = 0; i < run->pool.count; i++)
            held->worker[i] = held_by(&run->pool.workers[i]);
        held->deferred_count = run_deferred_held(run, held->deferred);
        if (run->generator != NULL)
            generator_close(run->generator);
        reporter_collect(&run->reporter, now_ns - run->start_ns);
        if (run->pool.spans != NULL)
            spans_settle(run->pool.spans);
    } while (!settled(run, &sequence_then) || sequence_then != sequence);
}

struct requests run_account(struct run *run, int64_t now_ns)
{
    struct requests requests = {0};
    struct all_held held = {.worker = xcalloc(run->pool.count, sizeof(*held.worker)),
                            .deferred = xcalloc(run->executors.count + 1, sizeof(*held.deferred))};
    /* Empty the queue first: a worker that was taking a request when the queue was closed holds it
     * now. */
    count_queued(run, now_ns, &requests);
    collect_last(run, now_ns, &held);
    /* Count again: workers that waited for an arrival have given their requests back. */
    count_queued(run, now_ns, &requests);
    for (unsigned i = 0; i < run->pool.count; i++)
        count_held(run, &held.worker[i], now_ns, &requests);
    count_sent(run, now_ns, &requests);
    add_dropped(run, now_ns);
    run_deferred_account(run, held.deferred, held.deferred_count, now_ns);
    free(held.worker);
    free(held.deferred);

    const struct snapshot *total = &run->reporter.total;
    requests.completed = total->counter[COUNTER_EVENT];
    requests.failed = total->counter[COUNTER_FAILED];
    requests.dropped = total->dropped;
    requests.terminals = run->terminals != NULL ? terminals_local(run->terminals) : 0;
    requests.offered = run->queue != NULL ? total->offered
                                          : requests.completed + requests.failed +
                                                requests.in_service + requests.queued;
    return requests;
}
