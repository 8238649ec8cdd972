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
/* How far requests are put ahead: for so long, and so many at least, so that each idle worker finds
 * one and the generator sleeps in between. */
#define AHEAD_NS (20 * NS_PER_MS)
#define AHEAD_MIN 64
#define AHEAD_PER_WORKER 2
/* By so many at a time, each of which may wake a worker: thousands that wake at once would hold up
 * those that have something to do. */
#define AHEAD_STEP 64
#define AHEAD_STEP_NS (2 * NS_PER_MS)

/* With requests ahead the generator looks so often whether anybody could take them, */
#define LOOK_NS (50 * NS_PER_MS)
#define LOOK_AT_START_NS (NS_PER_MS / 5)
/* and so late it may be where the machine is busy and nothing stands still. */
#define LATE_NS NS_PER_MS

struct generator {
    struct generator_plan plan; /* a stop sets its end_ns */
    pthread_t thread;
    sem_t stop; /* posted to make it end */
    bool stopped;
    bool spun;
    bool manned;         /* all workers have come */
    bool stepping;       /* there is more to be put ahead soon */
    clockid_t cpu_clock; /* of the thread */
    struct cpu_watch *watch;
    struct pacer pacer;
    struct ledger *ledger;
    int64_t cpu_ns; /* used by the thread; set when it ends */
    atomic_bool overflowed;
    int64_t next_ns; /* the next arrival, CLOCK_MONOTONIC */
    int64_t last_ns; /* the one before it */
    int64_t limit;   /* no arrival has this number, or a higher one */
    int64_t left;    /* how far the next arrival is from it */
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
    g->spun = true;
    alert_standby(queue, now_ns, due_ns);
    return spin_until(due_ns);
}

static void advance(struct generator *g)
{
    int64_t next_ns = arrival_next(&g->plan.process);
    g->last_ns = g->next_ns;
    g->next_ns = next_ns == INT64_MAX ? INT64_MAX : g->plan.start_ns + next_ns;
    g->left = g->limit - (int64_t)g->plan.process.number;
}

static bool arrivals_left(const struct generator *g)
{
    return g->left > 0 && g->next_ns < g->plan.end_ns;
}

/* Collects what is due at `now_ns`, in the order of arrival. */
static uint32_t collect_due(struct generator *g, int64_t now_ns, struct request *due)
{
    uint32_t n = 0;
    while (n < BATCH && g->next_ns <= now_ns && arrivals_left(g)) {
        due[n++] = (struct request){g->next_ns, NULL};
        advance(g);
    }
    return n;
}

/* Puts `n` requests that are due; false when the queue was full and that ends the run. */
static bool put_due(struct generator *g, int64_t now_ns, const struct request *due, uint32_t n)
{
    uint32_t fitted = queue_put(g->plan.queue, due, n);
    ledger_add(g->ledger, due, fitted, now_ns);
    if (fitted == n)
        return true;
    if (!g->plan.drop) {
        /* The run ends with the first request that finds no room; those behind it never arrived. */
        ledger_drop(g->ledger, due[fitted].arrival_ns, now_ns);
        g->plan.end_ns = due[fitted].arrival_ns;
        return false;
    }
    for (uint32_t i = fitted; i < n; i++)
        ledger_drop(g->ledger, due[i].arrival_ns, now_ns);
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

static bool lets_workers_wait(const struct generator *g)
{
    return !g->pacer.spinning && !g->plan.overlap;
}

/* It is not known yet whether there is a processor to spin on: then nothing is put far ahead. */
static bool knows_way(const struct generator *g)
{
    return g->watch == NULL || cpu_watch_has_looked(g->watch);
}

static size_t least_ahead(const struct generator *g)
{
    return AHEAD_MIN + AHEAD_PER_WORKER * (size_t)g->plan.settings->threads;
}

/* Whether another request is to be put ahead, when `ahead` are, of which `step` were put just now.
 */
static bool wants_ahead(const struct generator *g, size_t ahead, size_t step, int64_t now_ns)
{
    return arrivals_left(g) && (g->next_ns < now_ns + AHEAD_NS ||
                                (ahead < least_ahead(g) && step < AHEAD_STEP && knows_way(g)));
}

/* Puts requests before they are due, as long as there is room: one that finds the queue full when
 * it arrives has not been put. Returns how many are ahead. */
static size_t put_ahead(struct generator *g, int64_t now_ns)
{
    struct request batch[BATCH];
    size_t before = ledger_settle(g->ledger, now_ns), ahead = before;
    uint32_t n;
    do {
        uint32_t room = min_u32(BATCH, queue_room(g->plan.queue));
        for (n = 0; n < room && wants_ahead(g, ahead + n, ahead + n - before, now_ns); n++) {
            if (!ledger_expect(g->ledger, g->next_ns, &batch[n]))
                break;
            advance(g);
        }
        queue_put(g->plan.queue, batch, n);
        ahead += n;
    } while (n == BATCH);
    g->stepping = ahead - before >= AHEAD_STEP;
    return ahead;
}

/* Until when the generator sleeps: until the next arrival, or until it is time to put more ahead.
 */
static int64_t next_turn_ns(struct generator *g, int64_t now_ns)
{
    int64_t next_ns = min_i64(g->next_ns, g->plan.end_ns);
    if (!lets_workers_wait(g))
        return next_ns;
    bool enough = put_ahead(g, now_ns) >= least_ahead(g) && knows_way(g);
    int64_t turn_ns = enough ? INT64_MAX : now_ns + (g->stepping ? AHEAD_STEP_NS : AHEAD_NS / 2);
    next_ns = min_i64(g->next_ns, g->plan.end_ns);
    return min_i64(min_i64(next_ns, turn_ns), ledger_half_ns(g->ledger));
}

/* Workers that are on their way to the queue take nothing. */
static bool all_there(struct generator *g)
{
    if (!g->manned)
        g->manned = g->plan.came == NULL ||
                    atomic_load(g->plan.came) >= (unsigned)g->plan.settings->threads;
    return g->manned;
}

/*
 * Waits until `due_ns`, or until told to stop; with requests ahead for a while at most, to look
 * whether anybody is there who could take them: all workers have come, and the client does not
 * stand still. Returns the time.
 */
static int64_t rest(struct generator *g, int64_t due_ns)
{
    const int64_t from_ns = clock_now_ns();
    if (!lets_workers_wait(g) || ledger_settle(g->ledger, from_ns) == 0)
        return wait_until(g, due_ns);
    bool there = all_there(g);
    due_ns = min_i64(due_ns, from_ns + (there ? LOOK_NS : LOOK_AT_START_NS));
    ledger_sleep(g->ledger, due_ns);
    int64_t now_ns = wait_until(g, due_ns);
    int64_t absent_ns = !there ? from_ns : now_ns - due_ns > LATE_NS ? due_ns : INT64_MAX;
    ledger_wake(g->ledger, absent_ns, now_ns);
    return now_ns;
}

static void rest_until(struct generator *g, int64_t due_ns)
{
    while (!g->stopped && clock_now_ns() < due_ns)
        rest(g, due_ns);
}

/* Told to stop, when requests were put ahead: those that arrive later are revoked. */
static int64_t cut_short(struct generator *g)
{
    int64_t end_ns = queue_cut(g->plan.queue);
    ledger_cut(g->ledger, end_ns);
    return end_ns;
}

/* Told to stop: arrivals end now. */
static void end_early(struct generator *g)
{
    int64_t now_ns = clock_now_ns();
    if (g->plan.end_ns <= now_ns)
        return;
    g->plan.end_ns = ledger_settle(g->ledger, now_ns) > 0 ? cut_short(g) : now_ns;
}

/* What was due before the end is put. */
static void feed_rest(struct generator *g)
{
    end_early(g);
    int64_t now_ns = clock_now_ns();
    const int64_t deadline_ns = now_ns + BACKLOG_NS;
    while (arrivals_left(g) && now_ns < deadline_ns && put_batch(g, now_ns))
        now_ns = clock_now_ns();
}

/* Feeds the queue until the end, the limit, a stop or an overflow. */
static void feed(struct generator *g)
{
    while (arrivals_left(g) && !g->stopped) {
        int64_t now_ns = clock_now_ns();
        if (now_ns < g->next_ns)
            now_ns = rest(g, next_turn_ns(g, now_ns));
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
    return g->left <= 0 ||
           (none_left && (g->plan.process.kind == ARRIVAL_TRACE || g->plan.end_ns == INT64_MAX));
}

/* Then the run is over when the queue is empty; else it lasts until its time is up. */
static void end_arrivals(struct generator *g)
{
    rest_until(g, g->last_ns);
    if (!g->stopped && is_exhausted(g))
        queue_seal(g->plan.queue);
    rest_until(g, g->plan.end_ns);
    if (g->stopped)
        end_early(g);
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
    if (wait == ARRIVAL_WAIT_AUTO)
        g->watch = cpu_watch_start(&watch);
    pacer_init(&g->pacer, wait, g->watch, &g->stop);
    queue_allow_early(g->plan.queue, wait != ARRIVAL_WAIT_SLEEP);
}

static void *generator_main(void *arg)
{
    struct generator *g = arg;
    start_pacing(g);
    g->limit = g->plan.events > 0 ? g->plan.events + 1 : INT64_MAX;
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
    const struct ledger_plan book = {.stats = plan->stats,
                                     .asked = &plan->settings->arrivals,
                                     .start_ns = plan->start_ns,
                                     .measure_ns = plan->measure_ns,
                                     .takers = (unsigned)plan->settings->threads};
    g->plan = *plan;
    g->ledger = ledger_create(&book);
    sem_init(&g->stop, 0, 0);
    int rc = pthread_create(&g->thread, NULL, generator_main, g);
    if (rc != 0) {
        log_text(LOG_FATAL, "cannot start the generator thread: %s", strerror(rc));
        generator_destroy(g);
        return NULL;
    }
    return g;
}

bool generator_overflowed(const struct generator *g)
{
    return atomic_load(&g->overflowed);
}

size_t generator_settle(struct generator *g)
{
    return ledger_settle(g->ledger, clock_now_ns());
}

void generator_close(struct generator *g)
{
    ledger_close(g->ledger, clock_now_ns());
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

bool generator_spun(const struct generator *g)
{
    return g->spun;
}

const struct goodness *generator_goodness(const struct generator *g)
{
    return ledger_goodness(g->ledger);
}

int64_t generator_cpu_ns(const struct generator *g)
{
    return g->cpu_ns;
}

const struct drop_group *generator_drops(const struct generator *g, size_t *count)
{
    return ledger_drops(g->ledger, count);
}

void generator_destroy(struct generator *g)
{
    if (g == NULL)
        return;
    sem_destroy(&g->stop);
    ledger_destroy(g->ledger);
    free(g);
}
