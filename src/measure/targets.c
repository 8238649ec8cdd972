/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/targets.h"

#include <pthread.h>
#include <string.h>

/*
 * Threads that share a histogram hardly meet: what is worth a target takes longer than to record
 * it.
 */
#define ARRAYS 8

/* What one thread records of one target; `seen` is the reader's. */
struct thread_part {
    struct stats_part part;
    _Alignas(CACHE_ALIGN) struct stats_seen seen[PHASES];
};

struct target {
    char name[TARGET_NAME_BYTES];
    atomic_int connections, lost;
    struct stats_histograms histograms;
    _Atomic(struct thread_part *) *part; /* per thread; NULL: nothing recorded yet */
};

struct targets {
    unsigned threads;
    bool timed;
    pthread_mutex_t lock; /* guards adding */
    atomic_uint count;    /* grows behind `lock`; what it counts is constant */
    struct target target[TARGETS];
};

struct targets *targets_create(unsigned threads, bool timed)
{
    struct targets *t = xcalloc(1, sizeof(*t));
    t->threads = threads;
    t->timed = timed;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

static void target_fini(struct target *target, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        free(target->part[i]);
    free(target->part);
    stats_histograms_fini(&target->histograms);
}

void targets_destroy(struct targets *t)
{
    for (unsigned i = 0; i < t->count; i++)
        target_fini(&t->target[i], t->threads);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* Under the lock. */
static unsigned add_target(struct targets *t, const char *name)
{
    unsigned i = t->count;
    struct target *target = &t->target[i];
    snprintf(target->name, sizeof(target->name), "%s", i == TARGETS - 1 ? "other" : name);
    stats_histograms_init(&target->histograms, min_u32(t->threads, ARRAYS), t->timed);
    target->part = xcalloc(t->threads, sizeof(*target->part));
    atomic_store_explicit(&t->count, i + 1, memory_order_release);
    return i;
}

unsigned targets_find(struct targets *t, const char *name)
{
    unsigned i = 0;
    pthread_mutex_lock(&t->lock);
    while (i < t->count && strncmp(t->target[i].name, name, TARGET_NAME_BYTES - 1) != 0)
        i++;
    if (i == TARGETS)
        i = TARGETS - 1;
    else if (i == t->count)
        i = add_target(t, name);
    pthread_mutex_unlock(&t->lock);
    return i;
}

struct stats_part *targets_part(struct targets *t, unsigned thread, unsigned target)
{
    struct target *of = &t->target[target];
    struct thread_part *own = atomic_load_explicit(&of->part[thread], memory_order_relaxed);
    if (own == NULL) {
        own = stats_calloc(sizeof(*own));
        stats_part_init(&own->part, &of->histograms, thread);
        atomic_store_explicit(&of->part[thread], own, memory_order_release);
    }
    return &own->part;
}

void targets_connections(struct targets *t, unsigned target, int opened, int lost)
{
    atomic_fetch_add_explicit(&t->target[target].connections, opened, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->target[target].lost, lost, memory_order_relaxed);
}

/* Totals. */

struct target_totals *target_totals_create(void)
{
    return xcalloc(1, sizeof(struct target_totals));
}

void target_totals_destroy(struct target_totals *t)
{
    for (unsigned i = 0; t != NULL && i < t->count; i++)
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            distribution_fini(&t->target[i].metric[m]);
    free(t);
}

void target_totals_reset(struct target_totals *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        memset(t->target[i].counter, 0, sizeof(t->target[i].counter));
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            distribution_reset(&t->target[i].metric[m]);
    }
}

static struct target_total *total_of(struct target_totals *t, unsigned target, const char *name)
{
    struct target_total *total = &t->target[target];
    if (target == t->count) {
        strcpy(total->name, name);
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            distribution_init(&total->metric[m]);
        t->count++;
    }
    return total;
}

void target_totals_add(struct target_totals *dst, const struct target_totals *src)
{
    for (unsigned i = 0; i < src->count; i++) {
        const struct target_total *from = &src->target[i];
        struct target_total *to = total_of(dst, i, from->name);
        to->connections = from->connections;
        to->lost = from->lost;
        for (unsigned c = 0; c < COUNTER_TYPES; c++)
            to->counter[c] += from->counter[c];
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            distribution_add(&to->metric[m], &from->metric[m]);
    }
}

void target_totals_censor_failed(struct target_totals *t)
{
    for (unsigned i = 0; i < t->count; i++)
        distribution_censor_all(&t->target[i].metric[METRIC_RESPONSE],
                                &t->target[i].metric[METRIC_FAILED]);
}

static void drain_target(struct target *target, unsigned threads, enum phase phase,
                         struct target_total *out)
{
    out->connections = atomic_load_explicit(&target->connections, memory_order_relaxed);
    out->lost = atomic_load_explicit(&target->lost, memory_order_relaxed);
    for (unsigned i = 0; i < threads; i++) {
        struct thread_part *own = atomic_load_explicit(&target->part[i], memory_order_acquire);
        if (own != NULL)
            stats_cell_drain(&own->part.cell[phase], &own->seen[phase], out->counter, out->metric);
    }
    stats_histograms_drain(&target->histograms, phase, out->metric);
}

void targets_drain(struct targets *t, enum phase phase, struct target_totals *out)
{
    unsigned count = atomic_load_explicit(&t->count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        drain_target(&t->target[i], t->threads, phase, total_of(out, i, t->target[i].name));
}
