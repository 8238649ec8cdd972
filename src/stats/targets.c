/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/targets.h"

#include <math.h>
#include <string.h>

/* Records of one thread for one target. `seen` is used by the reader only. */
struct thread_part {
    struct stats_part part;
    _Alignas(CACHE_ALIGN) struct stats_seen seen[PHASES];
};

struct target {
    atomic_int connections, lost;
    atomic_int left; /* lost connections that will not be restored */
    struct stats_histograms histograms;
};

struct targets {
    unsigned threads;
    bool timed;
    atomic_int missing;    /* missing connections of the run */
    atomic_uint *current;  /* for each thread its target + 1, or 0 if it has no target */
    struct registry names; /* names of the targets; the cells are of type struct thread_part */
    struct target target[TARGETS];
};

static void add_target(void *owner, unsigned target)
{
    struct targets *t = owner;
    stats_histograms_init(&t->target[target].histograms, min_u32(t->threads, REGISTRY_ARRAYS),
                          t->timed);
}

static void *make_part(void *owner, unsigned thread, unsigned target)
{
    const struct targets *t = owner;
    struct thread_part *own = counter_calloc(sizeof(*own));
    stats_part_init(&own->part, &t->target[target].histograms, thread);
    return own;
}

static const struct registry_ops registry_ops = {TARGET_NAME_BYTES, add_target, make_part};

struct targets *targets_create(unsigned threads, bool timed)
{
    struct targets *t = xcalloc(1, sizeof(*t));
    t->threads = threads;
    t->timed = timed;
    t->current = xcalloc(threads, sizeof(*t->current));
    registry_init(&t->names, &registry_ops, t, threads);
    return t;
}

void targets_destroy(struct targets *t)
{
    for (unsigned i = 0; i < registry_count(&t->names); i++)
        stats_histograms_fini(&t->target[i].histograms);
    registry_fini(&t->names);
    free(t->current);
    free(t);
}

unsigned targets_find(struct targets *t, const char *name)
{
    return registry_find(&t->names, name, strlen(name));
}

struct stats_part *targets_part(struct targets *t, unsigned thread, unsigned target)
{
    struct thread_part *own = registry_cell(&t->names, thread, target);
    atomic_store_explicit(&t->current[thread], target + 1, memory_order_relaxed);
    return &own->part;
}

void targets_connections(struct targets *t, unsigned target, int opened, int lost)
{
    atomic_fetch_add_explicit(&t->target[target].connections, opened, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->target[target].lost, lost, memory_order_relaxed);
}

void targets_connection_left(struct targets *t, unsigned target)
{
    atomic_fetch_add_explicit(&t->target[target].left, 1, memory_order_relaxed);
}

void targets_missing(struct targets *t, int more)
{
    atomic_fetch_add_explicit(&t->missing, more, memory_order_relaxed);
}

/* The current state. Values that belong together are not read at the same moment, so a difference
 * of two may be negative. */

static unsigned not_negative(int value)
{
    return value > 0 ? (unsigned)value : 0;
}

unsigned targets_missing_in_all(const struct targets *t)
{
    return not_negative(atomic_load_explicit(&t->missing, memory_order_relaxed));
}

unsigned targets_missing_at(const struct targets *t, unsigned target)
{
    const struct target *one = &t->target[target];
    return not_negative(atomic_load_explicit(&one->lost, memory_order_relaxed) -
                        atomic_load_explicit(&one->left, memory_order_relaxed));
}

unsigned targets_number(const struct targets *t)
{
    return registry_count(&t->names);
}

const char *targets_name(const struct targets *t, unsigned target)
{
    return registry_name(&t->names, target);
}

int targets_of_thread(const struct targets *t, unsigned thread)
{
    return (int)atomic_load_explicit(&t->current[thread], memory_order_relaxed) - 1;
}

uint64_t targets_counted(const struct targets *t, unsigned target, enum counter counter)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < t->threads; i++) {
        const struct thread_part *own = registry_peek(&t->names, i, target);
        for (unsigned phase = 0; own != NULL && phase < PHASES; phase++)
            sum +=
                atomic_load_explicit(&own->part.cell[phase].counter[counter], memory_order_relaxed);
    }
    return sum;
}

/* Totals of a span of time. */

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
        t->target[i].connections = t->target[i].lost = 0;
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

static void add_target_total(struct target_total *to, const struct target_total *from)
{
    for (unsigned c = 0; c < COUNTER_TYPES; c++)
        to->counter[c] += from->counter[c];
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_add(&to->metric[m], &from->metric[m]);
}

void target_totals_add(struct target_totals *dst, const struct target_totals *src)
{
    for (unsigned i = 0; i < src->count; i++) {
        const struct target_total *from = &src->target[i];
        struct target_total *to = total_of(dst, i, from->name);
        to->connections = from->connections;
        to->lost = from->lost;
        add_target_total(to, from);
    }
}

void target_totals_merge(struct target_totals *dst, const struct target_totals *src)
{
    for (unsigned i = 0; i < src->count; i++) {
        const struct target_total *from = &src->target[i];
        const char *name = from->name;
        const unsigned number =
            registry_merge(dst->target[0].name, sizeof(dst->target[0]), dst->count, &name);
        struct target_total *to = total_of(dst, number, name);
        to->connections += from->connections;
        to->lost += from->lost;
        add_target_total(to, from);
    }
}

void target_totals_censor_failed(struct target_totals *t)
{
    for (unsigned i = 0; i < t->count; i++)
        metrics_censor_failed(t->target[i].metric);
}

const struct target_total *target_totals_named(const struct target_totals *t, const char *name)
{
    for (unsigned i = 0; i < t->count; i++)
        if (strcmp(t->target[i].name, name) == 0)
            return &t->target[i];
    return NULL;
}

static uint64_t size_of(const struct distribution *d)
{
    return d->count + d->censored;
}

/* Returns the number of lower bounds in one bucket of `all` that belong to no type. */
static uint64_t untyped_in(const struct target_totals *t, const struct distribution *all,
                           unsigned bucket)
{
    uint64_t rest = all->censored_buckets[bucket];
    for (unsigned i = 0; i < t->count; i++) {
        const uint64_t *own = t->target[i].metric[METRIC_RESPONSE].censored_buckets;
        rest -= own != NULL && own[bucket] < rest ? own[bucket] : own != NULL ? rest : 0;
    }
    return rest;
}

void target_totals_share_censored(struct target_totals *t, const struct distribution *all)
{
    uint64_t typed[TARGETS], known = all->count;
    for (unsigned i = 0; i < t->count; i++) {
        typed[i] = size_of(&t->target[i].metric[METRIC_RESPONSE]);
        known += t->target[i].metric[METRIC_RESPONSE].censored;
    }
    if (t->count == 0 || all->censored == 0 || known == 0)
        return;
    uint64_t *rest = xcalloc(HISTOGRAM_BUCKETS, sizeof(*rest));
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        rest[b] = all->censored_buckets[b] > 0 ? untyped_in(t, all, b) : 0;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        for (unsigned i = 0; rest[b] > 0 && i < t->count; i++)
            distribution_censor_many(
                &t->target[i].metric[METRIC_RESPONSE], histogram_lower_ns(b),
                (uint64_t)ceil((double)rest[b] * (double)typed[i] / (double)known));
    free(rest);
}

static void drain_target(struct targets *t, unsigned number, enum phase phase,
                         struct target_total *out)
{
    struct target *target = &t->target[number];
    out->connections = atomic_load_explicit(&target->connections, memory_order_relaxed);
    out->lost = atomic_load_explicit(&target->lost, memory_order_relaxed);
    for (unsigned i = 0; i < t->threads; i++) {
        struct thread_part *own = registry_peek(&t->names, i, number);
        if (own != NULL)
            stats_cell_drain(&own->part.cell[phase], &own->seen[phase], out->counter, out->metric);
    }
    stats_histograms_drain(&target->histograms, phase, out->metric);
}

void targets_drain(struct targets *t, enum phase phase, struct target_totals *out)
{
    const unsigned count = registry_count(&t->names);
    for (unsigned i = 0; i < count; i++)
        drain_target(t, i, phase, total_of(out, i, registry_name(&t->names, i)));
}
