/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/tallies.h"

#include <string.h>

#include "stats/counter.h"

/* Sums of one thread for one tally. `seen` is used by the reader only. */
struct cell {
    _Alignas(CACHE_ALIGN) _Atomic uint64_t count;
    _Atomic uint64_t sum, squares;
    _Alignas(CACHE_ALIGN) struct {
        uint64_t count, sum, squares;
    } seen;
};

struct tallies {
    unsigned threads;
    struct registry names;
};

static void *make_cell(void *owner, unsigned thread, unsigned tally)
{
    (void)owner;
    (void)thread;
    (void)tally;
    return counter_calloc(sizeof(struct cell));
}

static const struct registry_ops registry_ops = {TALLY_NAME_BYTES, NULL, make_cell};

struct tallies *tallies_create(unsigned threads)
{
    struct tallies *t = xcalloc(1, sizeof(*t));
    t->threads = threads;
    registry_init(&t->names, &registry_ops, t, threads);
    return t;
}

void tallies_destroy(struct tallies *t)
{
    registry_fini(&t->names);
    free(t);
}

unsigned tallies_find(struct tallies *t, const char *name)
{
    return registry_find(&t->names, name, strlen(name));
}

void tallies_add(struct tallies *t, unsigned thread, unsigned tally, uint64_t count, uint64_t sum,
                 uint64_t squares)
{
    struct cell *cell = registry_cell(&t->names, thread, tally);
    counter_add(&cell->count, count);
    counter_add(&cell->sum, sum);
    counter_add(&cell->squares, squares);
}

/* Totals of a span of time. */

void tally_totals_reset(struct tally_totals *t)
{
    for (unsigned i = 0; i < t->count; i++)
        t->tally[i].count = t->tally[i].sum = t->tally[i].squares = 0;
}

static struct tally_total *total_named(struct tally_totals *t, const char *name)
{
    const unsigned number = registry_merge(t->tally[0].name, sizeof(t->tally[0]), t->count, &name);
    struct tally_total *total = &t->tally[number];
    if (number == t->count) {
        snprintf(total->name, sizeof(total->name), "%s", name);
        t->count++;
    }
    return total;
}

void tally_totals_add(struct tally_totals *dst, const struct tally_totals *src)
{
    for (unsigned i = 0; i < src->count; i++) {
        struct tally_total *to = total_named(dst, src->tally[i].name);
        to->count += src->tally[i].count;
        to->sum += src->tally[i].sum;
        to->squares += src->tally[i].squares;
    }
}

const struct tally_total *tally_totals_named(const struct tally_totals *t, const char *name)
{
    for (unsigned i = 0; i < t->count; i++)
        if (strcmp(t->tally[i].name, name) == 0)
            return &t->tally[i];
    return NULL;
}

void tallies_drain(struct tallies *t, struct tally_totals *out)
{
    const unsigned count = registry_count(&t->names);
    for (unsigned i = 0; i < count; i++) {
        struct tally_total *total = total_named(out, registry_name(&t->names, i));
        for (unsigned thread = 0; thread < t->threads; thread++) {
            struct cell *cell = registry_peek(&t->names, thread, i);
            if (cell == NULL)
                continue;
            total->count += counter_growth(&cell->count, &cell->seen.count);
            total->sum += counter_growth(&cell->sum, &cell->seen.sum);
            total->squares += counter_growth(&cell->squares, &cell->seen.squares);
        }
    }
}
