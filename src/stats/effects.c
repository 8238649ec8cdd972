/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/effects.h"

/* Writes that changed nothing are reported as doubtful above this percentage and from this number
 * on. A percentage of only a few writes means little. */
#define DOUBTFUL_PERCENT 1
#define DOUBTFUL_MIN 10

const char *write_kind_name(enum write_kind kind)
{
    static const char *const names[WRITE_KINDS] = {
        [WRITE_UPDATE] = "update",
        [WRITE_INSERT] = "insert",
        [WRITE_DELETE] = "delete",
        [WRITE_OTHER] = "other",
    };
    return names[kind];
}

void effects_drain(struct effects_cell *cell, struct effects *seen, struct effects *out)
{
    for (unsigned k = 0; k < WRITE_KINDS; k++)
        for (unsigned e = 0; e < EFFECT_TYPES; e++)
            out->count[k][e] += counter_growth(&cell->count[k][e], &seen->count[k][e]);
}

void effects_add(struct effects *dst, const struct effects *src)
{
    for (unsigned k = 0; k < WRITE_KINDS; k++)
        for (unsigned e = 0; e < EFFECT_TYPES; e++)
            dst->count[k][e] += src->count[k][e];
}

static uint64_t sum_of(const struct effects *e, enum write_kind kind, enum effect effect)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < WRITE_KINDS; k++)
        if (kind == k || kind == WRITE_KINDS)
            sum += e->count[k][effect];
    return sum;
}

uint64_t effects_writes(const struct effects *e, enum write_kind kind)
{
    return sum_of(e, kind, EFFECT_WRITES);
}

uint64_t effects_no_ops(const struct effects *e, enum write_kind kind)
{
    return sum_of(e, kind, EFFECT_UNMATCHED) + sum_of(e, kind, EFFECT_UNCHANGED);
}

double effects_no_op_percent(const struct effects *e, enum write_kind kind)
{
    const uint64_t writes = effects_writes(e, kind);
    return writes > 0 ? 100 * (double)effects_no_ops(e, kind) / (double)writes : 0;
}

bool effects_doubtful(const struct effects *e, enum write_kind kind)
{
    return effects_no_ops(e, kind) >= DOUBTFUL_MIN &&
           effects_no_op_percent(e, kind) > DOUBTFUL_PERCENT;
}
