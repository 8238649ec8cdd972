/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of writes by kind: how many there were, how many rows they matched and how many rows they
 * changed. A write that matches no row, or stores the values that a row already has, costs the
 * server next to nothing. A throughput that consists of such writes means little. Part of stats
 * (stats.h), which decides when to record.
 */
#ifndef EFFECTS_H
#define EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/counter.h"

enum write_kind { WRITE_UPDATE, WRITE_INSERT, WRITE_DELETE, WRITE_OTHER, WRITE_KINDS };

/* Returns the name for reports: "update", "insert", "delete" or "other". */
const char *write_kind_name(enum write_kind kind);

enum effect {
    EFFECT_WRITES,    /* writes that succeeded */
    EFFECT_UNMATCHED, /* writes among these that matched no row */
    EFFECT_UNCHANGED, /* writes among these that matched rows but changed none */
    EFFECT_ROWS_MATCHED,
    EFFECT_ROWS_CHANGED,
    EFFECT_TYPES
};

/* Counts of one thread. Only this thread writes them. */
struct effects_cell {
    _Atomic uint64_t count[WRITE_KINDS][EFFECT_TYPES];
};

/* Counts of one span of time. Also used for the counts of a cell that were already drained. */
struct effects {
    uint64_t count[WRITE_KINDS][EFFECT_TYPES];
};

static inline void effects_record(struct effects_cell *cell, enum write_kind kind, uint64_t matched,
                                  uint64_t changed)
{
    counter_add(&cell->count[kind][EFFECT_WRITES], 1);
    if (changed == 0)
        counter_add(&cell->count[kind][matched == 0 ? EFFECT_UNMATCHED : EFFECT_UNCHANGED], 1);
    counter_add(&cell->count[kind][EFFECT_ROWS_MATCHED], matched);
    counter_add(&cell->count[kind][EFFECT_ROWS_CHANGED], changed);
}

/* Adds to *out what was counted since *seen, and updates *seen. */
void effects_drain(struct effects_cell *cell, struct effects *seen, struct effects *out);
void effects_add(struct effects *dst, const struct effects *src);

/* Return the number of writes of a kind, and the number of these that changed nothing. With
 * WRITE_KINDS all kinds are counted together. */
uint64_t effects_writes(const struct effects *e, enum write_kind kind);
uint64_t effects_no_ops(const struct effects *e, enum write_kind kind);
/* Returns the percentage of writes that changed nothing, or 0 if there were no writes. */
double effects_no_op_percent(const struct effects *e, enum write_kind kind);
/* Returns true if writes that changed nothing make the throughput doubtful: they are more than 1 %
 * of the writes of the kind, and at least 10. */
bool effects_doubtful(const struct effects *e, enum write_kind kind);

#endif
