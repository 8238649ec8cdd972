/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/quality/qualities.h"

#include <math.h>
#include <string.h>

#include "base/sequence_lock.h"
#include "stats/counter.h"

/* How often the reader tries again to read a cell that its owner is updating. An update takes a few
 * nanoseconds, unless its thread has lost the processor. */
#define TRIES 1000

/* Sums of one thread for one figure, of values − origin: the origin, the first value of the thread,
 * keeps the sum of squares exact if the values are large and differ little. */
struct sums {
    uint64_t count;
    double sum, squares;
};

struct cell {
    _Alignas(CACHE_ALIGN) struct sequence_lock lock; /* for the members up to `origin` */
    _Atomic uint64_t count;
    _Atomic double sum, squares;
    _Atomic double origin;                  /* constant after the first value */
    _Alignas(CACHE_ALIGN) struct sums seen; /* for the reader only */
};

struct qualities {
    unsigned threads;
    struct registry names;
};

static void *make_cell(void *owner, unsigned thread, unsigned figure)
{
    (void)owner;
    (void)thread;
    (void)figure;
    return counter_calloc(sizeof(struct cell));
}

static const struct registry_ops registry_ops = {QUALITY_NAME_BYTES, NULL, make_cell};

struct qualities *qualities_create(unsigned threads)
{
    struct qualities *q = xcalloc(1, sizeof(*q));
    q->threads = threads;
    registry_init(&q->names, &registry_ops, q, threads);
    return q;
}

void qualities_destroy(struct qualities *q)
{
    registry_fini(&q->names);
    free(q);
}

unsigned qualities_find(struct qualities *q, const char *name)
{
    return registry_find(&q->names, name, strlen(name));
}

void qualities_add(struct qualities *q, unsigned thread, unsigned figure, double value)
{
    struct cell *cell = registry_cell(&q->names, thread, figure);
    const uint64_t count = atomic_load_explicit(&cell->count, memory_order_relaxed);
    const double origin =
        count > 0 ? atomic_load_explicit(&cell->origin, memory_order_relaxed) : value;
    const double deviation = value - origin,
                 sum = atomic_load_explicit(&cell->sum, memory_order_relaxed) + deviation,
                 squares = atomic_load_explicit(&cell->squares, memory_order_relaxed) +
                           deviation * deviation;
    sequence_lock_begin(&cell->lock);
    atomic_store_explicit(&cell->origin, origin, memory_order_relaxed);
    atomic_store_explicit(&cell->count, count + 1, memory_order_relaxed);
    atomic_store_explicit(&cell->sum, sum, memory_order_relaxed);
    atomic_store_explicit(&cell->squares, squares, memory_order_relaxed);
    sequence_lock_end(&cell->lock);
}

/* Reads the sums of a cell and its origin. Returns false if the owner is still updating them. */
static bool read_cell(struct cell *cell, struct sums *sums, double *origin)
{
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t number = sequence_lock_number(&cell->lock);
        sums->count = atomic_load_explicit(&cell->count, memory_order_relaxed);
        sums->sum = atomic_load_explicit(&cell->sum, memory_order_relaxed);
        sums->squares = atomic_load_explicit(&cell->squares, memory_order_relaxed);
        *origin = atomic_load_explicit(&cell->origin, memory_order_relaxed);
        if (number % 2 == 0 && sequence_lock_number(&cell->lock) == number)
            return true;
    }
    return false;
}

/* Totals of a span of time. */

void quality_totals_reset(struct quality_totals *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        t->quality[i].count = 0;
        t->quality[i].mean = t->quality[i].squares = 0;
    }
}

struct quality_total *quality_totals_make(struct quality_totals *t, const char *name)
{
    const unsigned number =
        registry_merge(t->quality[0].name, sizeof(t->quality[0]), t->count, &name);
    struct quality_total *total = &t->quality[number];
    if (number == t->count) {
        snprintf(total->name, sizeof(total->name), "%s", name);
        t->count++;
    }
    return total;
}

/* Combines the moments of two sets of values (T. F. Chan, G. H. Golub, R. J. LeVeque, Updating
 * Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979). */
static void combine(struct quality_total *to, uint64_t count, double mean, double squares)
{
    const double all = (double)(to->count + count), difference = mean - to->mean;
    if (count == 0)
        return;
    if (to->count == 0) {
        to->mean = mean;
        to->squares = squares;
    } else {
        to->mean += difference * (double)count / all;
        to->squares +=
            squares + difference * difference * (double)to->count * (double)count / all;
    }
    to->count += count;
}

void quality_totals_add(struct quality_totals *dst, const struct quality_totals *src)
{
    for (unsigned i = 0; i < src->count; i++) {
        const struct quality_total *from = &src->quality[i];
        combine(quality_totals_make(dst, from->name), from->count, from->mean, from->squares);
    }
}

const struct quality_total *quality_totals_named(const struct quality_totals *t, const char *name)
{
    for (unsigned i = 0; i < t->count; i++)
        if (strcmp(t->quality[i].name, name) == 0)
            return &t->quality[i];
    return NULL;
}

/* The 97.5th percentile of Student's t distribution (M. Abramowitz, I. A. Stegun, Handbook of
 * Mathematical Functions, 26.7.5); exact values where the expansion is off by more than 0.1 %. */
static double student(double degrees)
{
    const double z = 1.959963984540054, z2 = z * z, z3 = z2 * z, z5 = z3 * z2, z7 = z5 * z2,
                 z9 = z7 * z2, v = degrees;
    static const double exact[] = {12.706205, 4.302653, 3.182446};
    if (v <= 3)
        return exact[(unsigned)v - 1];
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v) +
           (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * v * v * v * v);
}

bool quality_half_width(const struct quality_total *t, double *half_width)
{
    const double n = (double)t->count;
    *half_width = 0;
    if (t->count < 2)
        return false;
    *half_width = student(n - 1) * sqrt(t->squares / (n - 1) / n);
    return true;
}

static void drain_cell(struct cell *cell, struct quality_total *out)
{
    struct sums now;
    double origin;
    if (!read_cell(cell, &now, &origin) || now.count == cell->seen.count)
        return;
    const double n = (double)(now.count - cell->seen.count), sum = now.sum - cell->seen.sum,
                 squares = now.squares - cell->seen.squares;
    combine(out, now.count - cell->seen.count, origin + sum / n, fmax(0, squares - sum * sum / n));
    cell->seen = now;
}

void qualities_drain(struct qualities *q, struct quality_totals *out)
{
    const unsigned count = registry_count(&q->names);
    for (unsigned i = 0; i < count; i++) {
        struct quality_total *total = quality_totals_make(out, registry_name(&q->names, i));
        for (unsigned thread = 0; thread < q->threads; thread++) {
            struct cell *cell = registry_peek(&q->names, thread, i);
            if (cell != NULL)
                drain_cell(cell, total);
        }
    }
}
