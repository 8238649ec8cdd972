/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/snapshot.h"

void snapshot_init(struct snapshot *s)
{
    *s = (struct snapshot){0};
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_init(&s->metric[m]);
    distribution_init(&s->lag);
    connect_totals_init(&s->connects);
    connect_totals_init(&s->staleness);
    s->operations = operation_totals_create();
    s->targets = target_totals_create();
    s->types = target_totals_create();
    s->deferred = target_totals_create();
    s->tallies = xcalloc(1, sizeof(*s->tallies));
    s->qualities = xcalloc(1, sizeof(*s->qualities));
}

void snapshot_fini(struct snapshot *s)
{
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_fini(&s->metric[m]);
    distribution_fini(&s->lag);
    connect_totals_fini(&s->connects);
    connect_totals_fini(&s->staleness);
    operation_totals_destroy(s->operations);
    target_totals_destroy(s->targets);
    target_totals_destroy(s->types);
    target_totals_destroy(s->deferred);
    free(s->tallies);
    free(s->qualities);
}

void snapshot_reset(struct snapshot *s)
{
    for (unsigned c = 0; c < COUNTER_TYPES; c++)
        s->counter[c] = 0;
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_reset(&s->metric[m]);
    distribution_reset(&s->lag);
    connect_totals_reset(&s->connects);
    connect_totals_reset(&s->staleness);
    operation_totals_reset(s->operations);
    s->effects = (struct effects){0};
    target_totals_reset(s->targets);
    target_totals_reset(s->types);
    target_totals_reset(s->deferred);
    tally_totals_reset(s->tallies);
    quality_totals_reset(s->qualities);
    s->from_ns = s->to_ns = 0;
    s->offered = s->dropped = 0;
    s->arrived_ns = s->departed_ns = 0;
}

static bool is_empty_span(const struct snapshot *s)
{
    return s->from_ns == s->to_ns;
}

static void add_sums(struct snapshot *dst, const struct snapshot *src)
{
    dst->from_ns = is_empty_span(dst) ? src->from_ns : min_i64(dst->from_ns, src->from_ns);
    dst->to_ns = max_i64(dst->to_ns, src->to_ns);
    for (unsigned c = 0; c < COUNTER_TYPES; c++)
        dst->counter[c] += src->counter[c];
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_add(&dst->metric[m], &src->metric[m]);
    distribution_add(&dst->lag, &src->lag);
    connect_totals_add(&dst->connects, &src->connects);
    connect_totals_add(&dst->staleness, &src->staleness);
    effects_add(&dst->effects, &src->effects);
    tally_totals_add(dst->tallies, src->tallies);
    quality_totals_add(dst->qualities, src->qualities);
    dst->offered += src->offered;
    dst->dropped += src->dropped;
    dst->arrived_ns += src->arrived_ns;
    dst->departed_ns += src->departed_ns;
}

void snapshot_add(struct snapshot *dst, const struct snapshot *src)
{
    add_sums(dst, src);
    operation_totals_add(dst->operations, src->operations);
    target_totals_add(dst->targets, src->targets);
    target_totals_add(dst->types, src->types);
    target_totals_add(dst->deferred, src->deferred);
}

void snapshot_merge(struct snapshot *dst, const struct snapshot *src)
{
    add_sums(dst, src);
    operation_totals_merge(dst->operations, src->operations);
    target_totals_merge(dst->targets, src->targets);
    target_totals_merge(dst->types, src->types);
    target_totals_merge(dst->deferred, src->deferred);
}

void snapshot_censor_failed(struct snapshot *s)
{
    metrics_censor_failed(s->metric);
    target_totals_censor_failed(s->targets);
    target_totals_censor_failed(s->types);
    target_totals_censor_failed(s->deferred);
    target_totals_share_censored(s->types, &s->metric[METRIC_RESPONSE]);
}
