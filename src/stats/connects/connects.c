/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/connects/connects.h"

#include "stats/counter.h"

struct connects {
    struct histogram *histogram;
    struct spans *spans;             /* NULL if times are not recorded by span */
    _Atomic uint64_t sum_ns, failed; /* only grow */
    _Atomic int64_t min_ns, max_ns;
    uint64_t seen_sum_ns, seen_failed; /* already drained */
};

struct connects *connects_create(void)
{
    struct connects *c = xcalloc(1, sizeof(*c));
    c->histogram = histogram_create(1);
    counter_extremes_init(&c->min_ns, &c->max_ns);
    return c;
}

void connects_destroy(struct connects *c)
{
    if (c == NULL)
        return;
    histogram_destroy(c->histogram, 1);
    free(c);
}

/* Several threads record, so an extreme needs a compare-and-swap loop. */
static void lower(_Atomic int64_t *min, int64_t value)
{
    int64_t old = atomic_load(min);
    while (value < old && !atomic_compare_exchange_weak(min, &old, value))
        continue;
}

static void raise_to(_Atomic int64_t *max, int64_t value)
{
    int64_t old = atomic_load(max);
    while (value > old && !atomic_compare_exchange_weak(max, &old, value))
        continue;
}

void connects_set_spans(struct connects *c, struct spans *spans)
{
    c->spans = spans;
}

void connects_record(struct connects *c, int64_t from_ns, int64_t ns)
{
    ns = max_i64(ns, 0);
    atomic_fetch_add(&c->sum_ns, (uint64_t)ns);
    lower(&c->min_ns, ns);
    raise_to(&c->max_ns, ns);
    histogram_record(c->histogram, ns);
    if (c->spans != NULL)
        spans_record(c->spans, 0, from_ns, ns);
}

void connects_record_failure(struct connects *c)
{
    atomic_fetch_add(&c->failed, 1);
}

void connects_drain(struct connects *c, struct connect_totals *out)
{
    out->failed += counter_growth(&c->failed, &c->seen_failed);
    out->time.sum_ns += counter_growth(&c->sum_ns, &c->seen_sum_ns);
    distribution_take_extremes(&out->time, &c->min_ns, &c->max_ns);
    distribution_drain(&out->time, c->histogram);
}

void connect_totals_init(struct connect_totals *t)
{
    distribution_init(&t->time);
    t->failed = 0;
}

void connect_totals_fini(struct connect_totals *t)
{
    distribution_fini(&t->time);
}

void connect_totals_reset(struct connect_totals *t)
{
    distribution_reset(&t->time);
    t->failed = 0;
}

void connect_totals_add(struct connect_totals *dst, const struct connect_totals *src)
{
    distribution_add(&dst->time, &src->time);
    dst->failed += src->failed;
}
