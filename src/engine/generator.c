/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/generator.h"

#include <ck_pr.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/util.h"
#include "engine/cpu_watch.h"
#include "engine/pacer.h"

/* How many due arrivals are put between two looks at the clock. */
#define BATCH 256
/* What waking a worker may take the generator. */
#define ALERT_NS (20 * NS_PER_US)
/* How long, after it was told to stop, the generator may take for what was due by then. Only an
 * arrival rate beyond what it can do leaves so much. */
#define BACKLOG_NS NS_PER_SEC
/* How long a worker may take to be awake, or to come back from its last request, before the
 * generator does something about it; that long at most it waits for a request to be taken. */
#define PATIENCE_NS (20 * NS_PER_US)

struct generator {
    struct generator_plan plan; /* a stop sets its end_ns */
    pthread_t thread;
    sem_t stop; /* posted to make it end */
    bool stopped;
    clockid_t cpu_clock; /* of the thread */
    struct cpu_watch *watch;
    struct pacer pacer;
    struct goodness goodness;
    int64_t cpu_ns; /* used by the thread; set when it ends */
    atomic_bool overflowed;
    int64_t next_ns; /* the next arrival, CLOCK_MONOTONIC */
    int64_t left;    /* arrivals until the events limit */
    struct drop_group *drops;
    size_t drop_count, drop_room;
};

/* The worker that stands by may have had to leave its processor to another thread: then another
 * worker is woken. */
static void see_it_taken(struct queue *queue, int64_t due_ns)
{
    int64_t now_ns = clock_now_ns();
    int64_t until_ns = min_i64(now_ns + PATIENCE_NS, due_ns);
    while (queue_relies_on_standby(queue) && now_ns < until_ns) {
        ck_pr_stall();
        now_ns = clock_now_ns();
    }
    if (now_ns < due_ns)
        queue_relieve_standby(queue);
}

/* Looks at the clock until `due_ns`. Returns the time. */
static int64_t spin_until(int64_t due_ns)
{
    int64_t now_ns;
    while ((now_ns = clock_now_ns()) < due_ns)
        ck_pr_stall();
    return now_ns;
}

/* Has a worker stand by, when there is time for that. */
static void alert_standby(struct queue *queue, int64_t now_ns, int64_t due_ns)
{
    int64_t alert_ns = max_i64(now_ns + PATIENCE_NS, due_ns - PACER_LEAD_NS);
    if (due_ns - alert_ns < ALERT_NS)
        return;
    spin_until(alert_ns);
    queue_alert(queue);
}

/*
 * Waits until `due_ns`, or until told to stop. Returns the time. While it spins a worker stands by,
 * which is alerted when there is time for that before the arrival.
 */
static int64_t wait_until(struct generator *g, int64_t due_ns)
{
    struct queue *queue = g->plan.queue;
    queue_expect(queue, g->pacer.spinning ? due_ns : INT64_MAX);
    see_it_taken(queue, due_ns);
    int64_t now_ns = pacer_approach(&g->pacer, clock_now_ns(), due_ns);
    g->stopped = now_ns < 0;
    if (g->stopped)
        return clock_now_ns();
    if (!g->pacer.spinning)
        return now_ns;
    alert_standby(queue, now_ns, due_ns);
    return spin_until(due_ns);
}

static void advance(struct generator *g)
{
    int64_t next_ns = arrival_next(&g->plan.process);
    g->next_ns = next_ns == INT64_MAX ? INT64_MAX : g->plan.start_ns + next_ns;
    g->left--;
}

static bool arrivals_left(const struct generator *g)
{
    return g->left > 0 && g->next_ns < g->plan.end_ns;
}

static enum phase phase_of(const struct generator *g, int64_t arrival_ns)
{
    return arrival_ns < g->plan.measure_ns ? PHASE_WARMUP : PHASE_MEASURED;
}

/* Collects what is due at `now_ns`, in the order of arrival. */
static uint32_t collect_due(struct generator *g, int64_t now_ns, struct request *due)
{
    uint32_t n = 0;
    while (n < BATCH && g->next_ns <= now_ns && arrivals_left(g)) {
        due[n++].arrival_ns = g->next_ns;
        advance(g);
    }
    return n;
}

/* How well the arrivals fit does not depend on whether there is room for them. */
static void judge_arrival(struct generator *g, enum phase phase, int64_t arrival_ns, int64_t now_ns)
{
    int64_t start_ns = g->plan.start_ns;
    if (phase == PHASE_MEASURED)
        goodness_add(&g->goodness, arrival_ns - start_ns, now_ns - start_ns);
    else
        goodness_skip(&g->goodness, arrival_ns - start_ns, now_ns - start_ns);
}

static void record_drop(struct generator *g, int64_t arrival_ns, int64_t now_ns)
{
    stats_record_drop(g->plan.stats, phase_of(g, arrival_ns));
    judge_arrival(g, phase_of(g, arrival_ns), arrival_ns, now_ns);
    struct drop_group *last = g->drop_count > 0 ? &g->drops[g->drop_count - 1] : NULL;
    if (last != NULL && arrival_ns - last->first_ns < NS_PER_MS &&
        phase_of(g, last->first_ns) == phase_of(g, arrival_ns)) {
        last->latest_ns = arrival_ns;
        last->count++;
        return;
    }
    if (g->drop_count == g->drop_room) {
        g->drop_room = g->drop_room == 0 ? 64 : 2 * g->drop_room;
        g->drops = xrealloc(g->drops, g->drop_room * sizeof(*g->drops));
    }
    g->drops[g->drop_count++] = (struct drop_group){arrival_ns, arrival_ns, 1};
}

static void record_arrival(struct generator *g, int64_t arrival_ns, int64_t now_ns)
{
    int64_t start_ns = g->plan.start_ns;
    enum phase phase = phase_of(g, arrival_ns);
    stats_record_arrival(g->plan.stats, phase, arrival_ns - start_ns, now_ns - arrival_ns);
    judge_arrival(g, phase, arrival_ns, now_ns);
}

/* Puts `n` requests that are due; false when the queue was full and that ends the run. */
static bool put_due(struct generator *g, int64_t now_ns, const struct request *due, uint32_t n)
{
    uint32_t fitted = queue_put(g->plan.queue, due, n);
    for (uint32_t i = 0; i < fitted; i++)
        record_arrival(g, due[i].arrival_ns, now_ns);
    if (fitted == n)
        return true;
    if (!g->plan.drop) {
        /* The run ends with the first request that finds no room; those behind it never arrived. */
        record_drop(g, due[fitted].arrival_ns, now_ns);
        g->plan.end_ns = due[fitted].arrival_ns;
        return false;
    }
    for (uint32_t i = fitted; i < n; i++)
        record_drop(g, due[i].arrival_ns, now_ns);
    return true;
}

/* Puts what is due at `now_ns`, a batch at most; false when that has ended the run. */
static bool put_batch(struct generator *g, int64_t now_ns)
{
    struct request due[BATCH];
    uint32_t n = collect_due(g, now_ns, due);
    if (n == 0 || put_due(g, now_ns, due, n))
        return true;
    atomic_store(&g->overflowed, true);
    return false;
}

/* Told to stop: arrivals end now, and what was due before is put. */
static void feed_rest(struct generator *g)
{
    int64_t now_ns = clock_now_ns();
    const int64_t deadline_ns = now_ns + BACKLOG_NS;
    g->plan.end_ns = min_i64(g->plan.end_ns, now_ns);
    while (arrivals_left(g) && now_ns < deadline_ns && put_batch(g, now_ns))
        now_ns = clock_now_ns();
}

/* Feeds the queue until the end, the limit, a stop or an overflow. */
static void feed(struct generator *g)
{
    while (arrivals_left(g) && !g->stopped) {
        int64_t now_ns = clock_now_ns();
        if (now_ns < g->next_ns)
            now_ns = wait_until(g, min_i64(g->next_ns, g->plan.end_ns));
        else
            g->stopped = pacer_stopped(&g->pacer);
        if (!put_batch(g, now_ns))
            return;
    }
    if (g->stopped)
        feed_rest(g);
}

/* Whether there will be no further arrival, however long the run lasts. */
static bool is_exhausted(const struct generator *g)
{
    bool none_left = g->next_ns == INT64_MAX;
    return g->left == 0 ||
           (none_left && (g->plan.process.kind == ARRIVAL_TRACE || g->plan.end_ns == INT64_MAX));
}

/* Then the run is over when the queue is empty; else it lasts until its time is up. */
static void end_arrivals(struct generator *g)
{
    if (is_exhausted(g))
        queue_seal(g->plan.queue);
    if (!g->stopped)
        wait_until(g, g->plan.end_ns);
    if (g->stopped)
        g->plan.end_ns = min_i64(g->plan.end_ns, clock_now_ns());
    queue_seal(g->plan.queue);
    if (!g->plan.drain)
        queue_close(g->plan.queue);
}

/* For the watch: CPU time that goes into being on time. */
static int64_t waiting_cpu_ns(void *arg)
{
    const struct generator *g = arg;
    return clock_cpu_ns(g->cpu_clock) + queue_standby_ns(g->plan.queue);
}

static void start_pacing(struct generator *g)
{
    const enum arrival_wait wait = g->plan.settings->arrivals.wait;
    const struct cpu_watch_plan watch = {
        .cpus = cpu_count(), .read = cpu_times_read, .own_ns = waiting_cpu_ns, .arg = g};
    pthread_getcpuclockid(pthread_self(), &g->cpu_clock);
    if (wait == ARRIVAL_WAIT_AUTO && watch.cpus > 1)
        g->watch = cpu_watch_start(&watch);
    pacer_init(&g->pacer, wait, g->watch, &g->stop);
}

static void *generator_main(void *arg)
{
    struct generator *g = arg;
    start_pacing(g);
    goodness_init(&g->goodness, &g->plan.settings->arrivals);
    g->left = g->plan.events > 0 ? g->plan.events + 1 : INT64_MAX;
    advance(g);
    feed(g);
    if (!atomic_load(&g->overflowed))
        end_arrivals(g);
    cpu_watch_stop(g->watch);
    g->cpu_ns = clock_thread_cpu_ns();
    g->plan.notify(g->plan.arg);
    return NULL;
}

struct generator *generator_start(const struct generator_plan *plan)
{
    struct generator *g = xcalloc(1, sizeof(*g));
    g->plan = *plan;
    sem_init(&g->stop, 0, 0);
    int rc = pthread_create(&g->thread, NULL, generator_main, g);
    if (rc != 0) {
        log_text(LOG_FATAL, "cannot start the generator thread: %s", strerror(rc));
        sem_destroy(&g->stop);
        free(g);
        return NULL;
    }
    return g;
}

bool generator_overflowed(const struct generator *g)
{
    return atomic_load(&g->overflowed);
}

void generator_stop(struct generator *g)
{
    sem_post(&g->stop);
}

void generator_join(struct generator *g)
{
    pthread_join(g->thread, NULL);
}

int64_t generator_end_ns(const struct generator *g)
{
    return g->plan.end_ns;
}

const struct goodness *generator_goodness(const struct generator *g)
{
    return &g->goodness;
}

int64_t generator_cpu_ns(const struct generator *g)
{
    return g->cpu_ns;
}

const struct drop_group *generator_drops(const struct generator *g, size_t *count)
{
    *count = g->drop_count;
    return g->drops;
}

void generator_destroy(struct generator *g)
{
    if (g == NULL)
        return;
    sem_destroy(&g->stop);
    free(g->drops);
    free(g);
}
