/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_outages.h"

/* A single host is not watched separately. */
#define HOSTS_MIN 2

/* The state of one host. */
struct host {
    uint64_t pending;
    int64_t last_end_ns;
};

static struct targets *targets_of(const struct run *run)
{
    return stats_thread(run->pool.stats, 0)->targets;
}

void run_outages_begin(struct run *run, int64_t window_ns)
{
    run->outages = run->reporter.outages = outage_watch_create(run->settings, window_ns);
}

static uint64_t lost_in_all(const struct run *run)
{
    return run->reporter.counters[COUNTER_FAILED] + run->reporter.dropped;
}

static int64_t since_start(const struct run *run, int64_t at_ns)
{
    return max_i64(0, at_ns - run->start_ns);
}

static void look_at_all(struct run *run, int64_t now_ns)
{
    const struct gauges gauges = run_gauges(run);
    const struct outage_state state = {
        .completed = run->reporter.counters[COUNTER_EVENT],
        .lost = lost_in_all(run),
        .pending = gauges.queue_length + gauges.concurrency,
        .disconnected = targets_missing_in_all(targets_of(run)),
        .last_end_ns = since_start(run, worker_pool_last_end_ns(&run->pool)),
    };
    outage_watch_look(run->outages, now_ns, 0, &state);
}

/* A request is pending at the host to which the worker is connected. */
static void read_workers(const struct run *run, struct host host[TARGETS])
{
    const struct targets *targets = targets_of(run);
    for (unsigned i = 0; i < run->pool.count; i++) {
        const struct worker *worker = &run->pool.workers[i];
        const int target = targets_of_thread(targets, i);
        if (target < 0)
            continue;
        int64_t last_ns = atomic_load_explicit(&worker->last_end_ns, memory_order_relaxed);
        host[target].pending +=
            atomic_load_explicit(&worker->serving_arrival_ns, memory_order_relaxed) != 0;
        host[target].last_end_ns = max_i64(host[target].last_end_ns, last_ns);
    }
}

static void look_at_hosts(struct run *run, int64_t now_ns)
{
    const struct targets *targets = targets_of(run);
    const unsigned count = targets_number(targets);
    struct host host[TARGETS] = {0};
    if (count < HOSTS_MIN)
        return;
    read_workers(run, host);
    for (unsigned i = 0; i < count; i++) {
        const struct outage_state state = {
            .host = targets_name(targets, i),
            .completed = targets_counted(targets, i, COUNTER_EVENT),
            .lost = targets_counted(targets, i, COUNTER_FAILED),
            .pending = host[i].pending,
            .disconnected = targets_missing_at(targets, i),
            .last_end_ns = since_start(run, host[i].last_end_ns),
        };
        outage_watch_look(run->outages, now_ns, 1 + i, &state);
    }
}

/* Minimum number of responses for a median. */
#define MEDIAN_OF_MIN 20

/* Returns 0 if there are too few. */
static int64_t median_of(const struct distribution *d)
{
    return d->count >= MEDIAN_OF_MIN ? distribution_percentile(d, 50 * PERCENT).ns : 0;
}

/* Stores the medians of the measured response times of the run and, if they are watched, of its
 * hosts. */
static void find_medians(const struct run *run, int64_t median_ns[OUTAGE_PLACES])
{
    const struct snapshot *total = &run->reporter.total;
    const unsigned hosts = total->targets->count < HOSTS_MIN ? 0 : total->targets->count;
    median_ns[0] = median_of(&total->metric[METRIC_RESPONSE]);
    for (unsigned i = 0; i < OUTAGE_PLACES - 1; i++)
        median_ns[1 + i] =
            i < hosts ? median_of(&total->targets->target[i].metric[METRIC_RESPONSE]) : 0;
}

void run_outages_look(struct run *run, int64_t now_ns)
{
    int64_t median_ns[OUTAGE_PLACES];
    look_at_all(run, now_ns);
    look_at_hosts(run, now_ns);
    find_medians(run, median_ns);
    outage_watch_end_window(run->outages, now_ns, median_ns);
}

struct outages run_outages_finish(struct run *run)
{
    const struct targets *targets = targets_of(run);
    uint64_t lost[OUTAGE_PLACES] = {lost_in_all(run)};
    int64_t median_ns[OUTAGE_PLACES];
    for (unsigned i = 0; i < targets_number(targets); i++)
        lost[1 + i] = targets_counted(targets, i, COUNTER_FAILED);
    find_medians(run, median_ns);
    return outage_watch_finish(run->outages, since_start(run, run->ended_ns), median_ns,
                               &run->reporter.total, lost);
}
