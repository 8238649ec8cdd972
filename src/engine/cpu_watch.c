/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/cpu_watch.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/util.h"

/* How often the processor times are read. /proc/stat counts in units of 10 ms. */
#define LOOK_NS (200 * NS_PER_MS)

/* How much must stay idle in addition to the processor that spins: this share of all processors,
 * and at least IDLE_LEAST processors. A server on the same machine needs processors in bursts that
 * are much higher than its average use. */
#define IDLE_RESERVE 0.1
#define IDLE_LEAST 2

struct cpu_watch {
    struct cpu_watch_plan plan;
    pthread_t thread;
    sem_t stop; /* posted to end the thread */
    atomic_bool room, looked;
};

struct reading {
    int64_t at_ns, idle_ns, own_ns;
    bool known;
};

/* Reads the processor times. The CPU time of the watch itself counts as time of the generator,
 * because the watch only runs for the generator. */
static struct reading read_times(const struct cpu_watch *w)
{
    struct cpu_times times;
    bool known = w->plan.read(&times);
    return (struct reading){.at_ns = clock_now_ns(),
                            .idle_ns = times.idle_ns,
                            .own_ns = w->plan.own_ns(w->plan.arg) + clock_thread_cpu_ns(),
                            .known = known};
}

/*
 * Computes how many processors would be idle without generator and standby worker, minus the one
 * that the generator would use up by spinning. The standby worker yields to every other thread, so
 * it needs no processor of its own.
 */
static bool has_room(const struct reading *from, const struct reading *to, unsigned cpus)
{
    if (!from->known || !to->known)
        return false;
    double idle_ns = (double)(to->idle_ns - from->idle_ns) + (double)(to->own_ns - from->own_ns);
    return idle_ns / (double)(to->at_ns - from->at_ns) - 1 >= fmax(IDLE_LEAST, IDLE_RESERVE * cpus);
}

static void *watch_main(void *arg)
{
    struct cpu_watch *w = arg;
    /* A thread with SCHED_BATCH that wakes up does not preempt a running thread. */
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &(struct sched_param){0});
    struct reading last = read_times(w);
    if (!last.known)
        atomic_store(&w->looked, true);
    while (!clock_sem_wait(&w->stop, last.at_ns + LOOK_NS)) {
        struct reading now = read_times(w);
        atomic_store(&w->room, has_room(&last, &now, w->plan.cpus));
        atomic_store(&w->looked, true);
        last = now;
    }
    return NULL;
}

struct cpu_watch *cpu_watch_start(const struct cpu_watch_plan *plan)
{
    if (plan->cpus <= IDLE_LEAST)
        return NULL;
    struct cpu_watch *w = xcalloc(1, sizeof(*w));
    w->plan = *plan;
    sem_init(&w->stop, 0, 0);
    if (pthread_create(&w->thread, NULL, watch_main, w) == 0)
        return w;
    sem_destroy(&w->stop);
    free(w);
    return NULL;
}

bool cpu_watch_has_room(const struct cpu_watch *w)
{
    return atomic_load_explicit(&w->room, memory_order_relaxed);
}

bool cpu_watch_has_looked(const struct cpu_watch *w)
{
    return atomic_load_explicit(&w->looked, memory_order_relaxed);
}

void cpu_watch_stop(struct cpu_watch *w)
{
    if (w == NULL)
        return;
    sem_post(&w->stop);
    pthread_join(w->thread, NULL);
    sem_destroy(&w->stop);
    free(w);
}
