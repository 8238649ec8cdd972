/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What writes came to: how many of each kind there were, what they found and what they changed. A
 * write that finds nothing, or writes what stood there already, costs the server next to nothing; a
 * rate that is made of these is none. Part of stats.
 */
#ifndef EFFECTS_H
#define EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/counter.h"

enum write_kind { WRITE_UPDATE, WRITE_INSERT, WRITE_DELETE, WRITE_OTHER, WRITE_KINDS };

/* "update", …, "other". */
const char *write_kind_name(enum write_kind kind);

enum effect {
    EFFECT_WRITES,    /* writes that succeeded */
    EFFECT_UNMATCHED, /* of these, found nothing to write to */
    EFFECT_UNCHANGED, /* found something, and left it as it was */
    EFFECT_ROWS_MATCHED,
    EFFECT_ROWS_CHANGED,
    EFFECT_TYPES
};

/* Of one thread; its owner writes. */
struct effects_cell {
    _Atomic uint64_t count[WRITE_KINDS][EFFECT_TYPES];
};

/* Sums of one span of time; also what the reader has seen of a cell. */
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

void effects_drain(struct effects_cell *cell, struct effects *seen, struct effects *out);
void effects_add(struct effects *dst, const struct effects *src);

/*
 * How many writes of a kind, or of all with WRITE_KINDS, there were, and how many of these changed
 * nothing.
 */
uint64_t effects_writes(const struct effects *e, enum write_kind kind);
uint64_t effects_no_ops(const struct effects *e, enum write_kind kind);
/* These in percent of those; 0 without any. */
double effects_no_op_percent(const struct effects *e, enum write_kind kind);
/* Whether so many writes of a kind changed nothing that the rate says little: more than 1 %, and 10
 * at least. */
bool effects_doubtful(const struct effects *e, enum write_kind kind);

#endif
