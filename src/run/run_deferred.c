/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_deferred.h"

#include "base/clock.h"

unsigned run_deferred_threads(const struct run_setup *setup)
{
    return setup->workload.has_deferred ? (unsigned)setup->settings->deferred_threads : 0;
}

void run_deferred_init(struct run *run)
{
    if (run_deferred_threads(run->setup) == 0)
        return;
    run->pool.deferred = deferred_create((uint32_t)run->settings->queue_size);
    run->executors = (struct worker_pool){.settings = run->settings,
                                          .workload = run->setup->workload,
                                          .stats = run->pool.stats,
                                          .work = run->pool.deferred,
                                          .notify = run->pool.notify,
                                          .give_up_ns = INT64_MAX};
}

void run_deferred_fini(struct run *run)
{
    deferred_destroy(run->pool.deferred);
}

static bool has_executors(const struct run *run)
{
    return run->pool.deferred != NULL;
}

int run_deferred_start(struct run *run)
{
    return has_executors(run) ? worker_pool_start(&run->executors) : 0;
}

void run_deferred_begin(struct run *run)
{
    run->executors.start_ns = run->pool.start_ns;
    run->executors.measure_ns = run->pool.measure_ns;
}

void run_deferred_gate(struct run *run, enum gate gate)
{
    if (run->executors.count > 0)
        worker_pool_gate(&run->executors, gate);
}

void run_deferred_step(struct run *run, int64_t now_ns)
{
    if (!has_executors(run) || atomic_load(&run->pool.exited) < run->pool.count)
        return;
    if (now_ns < run_deferred_drained_ns(run))
        deferred_seal(run->pool.deferred);
    else
        run_deferred_end(run);
}

int64_t run_deferred_next_ns(const struct run *run, int64_t now_ns)
{
    const int64_t drained_ns = run_deferred_drained_ns(run);
    return has_executors(run) && now_ns < drained_ns ? drained_ns : INT64_MAX;
}

void run_deferred_end(struct run *run)
{
    if (!has_executors(run))
        return;
    atomic_store(&run->executors.stop, true);
    deferred_close(run->pool.deferred);
}

static void add_unfinished_to(struct snapshot *s, unsigned type, int64_t age_ns)
{
    struct target_total *t = &s->deferred->target[type];
    t->counter[COUNTER_UNFINISHED]++;
    distribution_censor(&t->metric[METRIC_RESPONSE], age_ns);
}

static void add_unfinished(struct run *run, const struct deferred_entry *entry, int64_t now_ns)
{
    if (entry->queued_ns < run->pool.measure_ns)
        return;
    add_unfinished_to(&run->reporter.part, entry->type, now_ns - entry->queued_ns);
    add_unfinished_to(&run->reporter.total, entry->type, now_ns - entry->queued_ns);
}

unsigned run_deferred_held(const struct run *run, struct deferred_entry *held)
{
    unsigned count = 0;
    for (unsigned i = 0; i < run->executors.count; i++)
        if (worker_is_serving(&run->executors.workers[i]))
            held[count++] = run->executors.workers[i].entry;
    return count;
}

void run_deferred_account(struct run *run, const struct deferred_entry *held, unsigned count,
                          int64_t now_ns)
{
    struct deferred_entry entry;
    for (unsigned i = 0; i < count; i++)
        add_unfinished(run, &held[i], now_ns);
    while (has_executors(run) && deferred_remove(run->pool.deferred, &entry))
        add_unfinished(run, &entry, now_ns);
}
