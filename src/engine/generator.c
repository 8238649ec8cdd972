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
#include "stats/waits.h"

/* Maximum number of due arrivals that are put between two readings of the clock. */
#define BATCH 256
/* Time that the generator may need to wake a worker. */
#define ALERT_NS (20 * NS_PER_US)
/* How long after a stop the generator may continue to put requests that were already due. More
 * remain only if the arrival rate is higher than the generator can achieve. */
#define BACKLOG_NS NS_PER_SEC
/*
 * How long a worker may take to wake up, or to return from its last request. After this time the
 * generator wakes another worker. The generator waits at most this long for a request to be taken.
 */
#define PATIENCE_NS (20 * NS_PER_US)
/* Requests are put ahead for the next AHEAD_NS, and at least AHEAD_MIN + AHEAD_PER_WORKER * workers
 * of them, so that each idle worker finds one and the generator can sleep in between. */
#define AHEAD_NS (20 * NS_PER_MS)
#define AHEAD_MIN 64
#define AHEAD_PER_WORKER 2
/* At most AHEAD_STEP requests are put ahead every AHEAD_STEP_NS, because each may wake a worker. If
 * thousands of workers woke at once, they would delay the workers that serve requests. */
#define AHEAD_STEP 64
#define AHEAD_STEP_NS (2 * NS_PER_MS)

/* While requests are ahead, the generator wakes after this time to check whether workers are
 * running that can take them. LOOK_AT_START_NS is used until all workers have entered their run
 * loop. */
#define LOOK_NS (50 * NS_PER_MS)
#define LOOK_AT_START_NS (NS_PER_MS / 5)
/* The generator may wake this late on a busy machine; if it is later, the client was stalled. */
#define LATE_NS NS_PER_MS

struct generator {
    struct generator_plan plan; /* a stop changes its end_ns */
    pthread_t thread;
    sem_t stop; /* posted to end the thread */
    bool stopped;
    bool spun;
    bool all_came;        /* all workers have entered their run loop */
    bool more_ahead_soon; /* more requests will be put ahead soon */
    clockid_t cpu_clock;  /* clock of the thread's CPU time */
    struct cpu_watch *watch;
    struct pacer pacer;
    struct ledger *ledger;
    /* ledger_add() or ledger_add_noting_late() */
    void (*add)(struct ledger *ledger, const struct request *requests, size_t count,
                int64_t now_ns);
    int64_t cpu_ns; /* CPU time of the thread; set at its end */
    atomic_bool overflowed;
    int64_t next_ns; /* the next arrival, CLOCK_MONOTONIC */
    int64_t last_ns; /* the arrival before the next one */
    int64_t limit;   /* number of the first arrival that is not put; arrivals are numbered from 1 */
    int64_t left;    /* `limit` minus the number of the next arrival */
};

/* If the standby worker does not take a waiting request soon, wakes another worker. The standby
 * worker may have lost its processor to another thread. */
static void ensure_taken(struct queue *queue, int64_t due_ns)
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

/* Spins until `due_ns`. Returns the present time. */
static int64_t spin_until(int64_t due_ns)
{
    int64_t now_ns;
    while ((now_ns = clock_now_ns()) < due_ns)
        ck_pr_stall();
    return now_ns;
}

/* Wakes a worker to stand by for the arrival at `due_ns`, if there is enough time. */
static void alert_standby(struct queue *queue, int64_t now_ns, int64_t due_ns)
{
    int64_t alert_ns = max_i64(now_ns + PATIENCE_NS, due_ns - PACER_LEAD_NS);
    if (due_ns - alert_ns < ALERT_NS)
        return;
    spin_until(alert_ns);
    queue_alert(queue);
}

/*
 * Waits until `due_ns` or until the generator is stopped. Returns the present time. If the
 * generator spins and there is enough time before the arrival, a worker is woken to stand by.
 */
static int64_t wait_until(struct generator *g, int64_t due_ns)
{
    struct queue *queue = g->plan.queue;
    queue_expect(queue, g->pacer.spinning ? due_ns : INT64_MAX);
    ensure_taken(queue, due_ns);
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

/* Collects the requests that are due at `now_ns` in `due`, in the order of arrival, at most BATCH.
 * Returns their number. */
static uint32_t collect_due(struct generator *g, int64_t now_ns, struct request *due)
{
    uint32_t n = 0;
    while (n < BATCH && g->next_ns <= now_ns && arrivals_left(g)) {
        due[n++] = (struct request){g->next_ns, NULL};
        advance(g);
    }
    return n;
}

/* Puts `n` requests that are due. Returns false if the queue was full and that ends the run. */
static bool put_due(struct generator *g, int64_t now_ns, const struct request *due, uint32_t n)
{
    uint32_t fitted = queue_put(g->plan.queue, due, n);
    g->add(g->ledger, due, fitted, now_ns);
    if (fitted == n)
        return true;
    if (!g->plan.drop) {
        /* The run ends with the first request that does not fit; the later ones never arrived. */
        ledger_drop(g->ledger, due[fitted].arrival_ns, now_ns);
        g->plan.end_ns = due[fitted].arrival_ns;
        return false;
    }
    for (uint32_t i = fitted; i < n; i++)
        ledger_drop(g->ledger, due[i].arrival_ns, now_ns);
    return true;
}

/* Puts the requests that are due at `now_ns`, at most BATCH. Returns false if that has ended the
 * run. */
static bool put_batch(struct generator *g, int64_t now_ns)
{
    struct request due[BATCH];
    uint32_t n = collect_due(g, now_ns, due);
    if (n == 0 || put_due(g, now_ns, due, n))
        return true;
    atomic_store(&g->overflowed, true);
    return false;
}

static bool may_put_ahead(const struct generator *g)
{
    return !g->pacer.spinning && !g->plan.overlap;
}

/* Returns false until it is known whether there is a processor to spin on. Until then, no requests
 * are put far ahead. */
static bool knows_whether_to_spin(const struct generator *g)
{
    return g->watch == NULL || cpu_watch_has_looked(g->watch);
}

static size_t least_ahead(const struct generator *g)
{
    return AHEAD_MIN + AHEAD_PER_WORKER * (size_t)g->plan.settings->threads;
}

/* Returns true if another request should be put ahead. `ahead` requests are ahead already; `step`
 * of them were put in this step. */
static bool wants_ahead(const struct generator *g, size_t ahead, size_t step, int64_t now_ns)
{
    const bool too_few = ahead < least_ahead(g) && step < AHEAD_STEP && knows_whether_to_spin(g);
    return arrivals_left(g) && (g->next_ns < now_ns + AHEAD_NS || too_few);
}

/* Puts requests before they are due, as long as the queue has room. A request for which there is no
 * room is put at its arrival, and may then find the queue full. Returns how many requests are
 * ahead. */
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
    g->more_ahead_soon = ahead - before >= AHEAD_STEP;
    return ahead;
}

/* Puts requests ahead if workers may wait for arrivals. Returns until when the generator may sleep:
 * until the next arrival, or until more requests must be put ahead. */
static int64_t next_turn_ns(struct generator *g, int64_t now_ns)
{
    int64_t next_ns = min_i64(g->next_ns, g->plan.end_ns);
    if (!may_put_ahead(g))
        return next_ns;
    bool enough = put_ahead(g, now_ns) >= least_ahead(g) && knows_whether_to_spin(g);
    int64_t step_ns = g->more_ahead_soon ? AHEAD_STEP_NS : AHEAD_NS / 2;
    int64_t turn_ns = enough ? INT64_MAX : now_ns + step_ns;
    next_ns = min_i64(g->next_ns, g->plan.end_ns);
    return min_i64(min_i64(next_ns, turn_ns), ledger_half_ns(g->ledger));
}

/*
 * Returns true if all workers have entered their run loop. Before that they cannot take requests.
 */
static bool all_workers_came(struct generator *g)
{
    if (!g->all_came)
        g->all_came = g->plan.came == NULL ||
                      atomic_load(g->plan.came) >= (unsigned)g->plan.settings->threads;
    return g->all_came;
}

/* Notes that workers could not take the requests that were put ahead and arrived between the two
 * times. */
static int64_t note_absence(struct generator *g, int64_t from_ns, int64_t now_ns)
{
    const int64_t last_ns = min_i64(now_ns, g->next_ns - 1);
    if (g->plan.waits != NULL && from_ns <= last_ns)
        waits_note_late(g->plan.waits, from_ns, last_ns, now_ns);
    return from_ns;
}

/*
 * Waits until `due_ns` or until the generator is stopped. If requests are ahead, waits at most
 * LOOK_NS or LOOK_AT_START_NS. Then reports to the ledger whether workers could take requests
 * during the wait: all workers have come, and the client was not stalled. Returns the present time.
 */
static int64_t wait_and_observe(struct generator *g, int64_t due_ns)
{
    const int64_t from_ns = clock_now_ns();
    if (!may_put_ahead(g) || ledger_settle(g->ledger, from_ns) == 0)
        return wait_until(g, due_ns);
    bool there = all_workers_came(g);
    due_ns = min_i64(due_ns, from_ns + (there ? LOOK_NS : LOOK_AT_START_NS));
    ledger_sleep(g->ledger, due_ns);
    int64_t now_ns = wait_until(g, due_ns);
    int64_t absent_ns = INT64_MAX;
    if (UNLIKELY(!there || now_ns - due_ns > LATE_NS))
        absent_ns = note_absence(g, there ? due_ns : from_ns, now_ns);
    ledger_wake(g->ledger, absent_ns, now_ns);
    return now_ns;
}

static void wait_long_until(struct generator *g, int64_t due_ns)
{
    while (!g->stopped && clock_now_ns() < due_ns)
        wait_and_observe(g, due_ns);
}

/* For a stop while requests are ahead: those that would arrive later are revoked. Returns the end
 * of the arrivals. */
static int64_t revoke_later_arrivals(struct generator *g)
{
    int64_t end_ns = queue_cut(g->plan.queue);
    ledger_cut(g->ledger, end_ns);
    return end_ns;
}

/* Ends the arrivals now, unless they have ended before. */
static void end_early(struct generator *g)
{
    int64_t now_ns = clock_now_ns();
    if (g->plan.end_ns <= now_ns)
        return;
    g->plan.end_ns = ledger_settle(g->ledger, now_ns) > 0 ? revoke_later_arrivals(g) : now_ns;
}

/* After a stop: ends the arrivals and puts the requests that were due before. */
static void put_backlog(struct generator *g)
{
    end_early(g);
    int64_t now_ns = clock_now_ns();
    const int64_t deadline_ns = now_ns + BACKLOG_NS;
    while (arrivals_left(g) && now_ns < deadline_ns && put_batch(g, now_ns))
        now_ns = clock_now_ns();
}

/* Puts requests until the end, the limit, a stop or an overflow. */
static void feed(struct generator *g)
{
    while (arrivals_left(g) && !g->stopped) {
        int64_t now_ns = clock_now_ns();
        if (now_ns < g->next_ns)
            now_ns = wait_and_observe(g, next_turn_ns(g, now_ns));
        else
            g->stopped = pacer_stopped(&g->pacer);
        if (!put_batch(g, now_ns))
            return;
    }
    if (g->stopped)
        put_backlog(g);
}

/* Returns true if there will be no further arrival, however long the run lasts. */
static bool is_exhausted(const struct generator *g)
{
    bool none_left = g->next_ns == INT64_MAX;
    return g->left <= 0 ||
           (none_left && (g->plan.process.kind == ARRIVAL_TRACE || g->plan.end_ns == INT64_MAX));
}

/* After the last arrival: if no further arrival is possible, seals the queue at once, so that the
 * run ends when the queue is empty. Otherwise the run lasts until end_ns. */
static void end_arrivals(struct generator *g)
{
    wait_long_until(g, g->last_ns);
    if (!g->stopped && is_exhausted(g))
        queue_seal(g->plan.queue);
    wait_long_until(g, g->plan.end_ns);
    if (g->stopped)
        end_early(g);
    queue_seal(g->plan.queue);
    if (!g->plan.drain)
        queue_close(g->plan.queue);
}

/* For the CPU watch: returns the CPU time of the generator and of standby workers. */
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
                                     .seed = plan->settings->rand.seed,
                                     .start_ns = plan->start_ns,
                                     .measure_ns = plan->measure_ns,
                                     .takers = (unsigned)plan->settings->threads,
                                     .waits = plan->waits};
    g->plan = *plan;
    g->add = plan->waits != NULL ? ledger_add_noting_late : ledger_add;
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

int64_t generator_open_lag_ns(struct generator *g)
{
    return ledger_open_lag_ns(g->ledger, clock_now_ns());
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
