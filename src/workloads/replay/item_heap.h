/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements, of which the one that began first is taken first; of the same time, as they stand in
 * the log. */
#ifndef ITEM_HEAP_H
#define ITEM_HEAP_H

#include "workloads/replay/replay_item.h"

/* What is compared stands beside the pointer: following it costs more than the rest. */
struct item_place {
    int64_t time_ns;
    uint64_t order;
    struct replay_item *item;
};

struct item_heap {
    struct item_place *places;
    size_t count, room;
};

void item_heap_put(struct item_heap *h, struct replay_item *item);
/* NULL: there is none. */
struct replay_item *item_heap_take(struct item_heap *h);
/* Frees what is left, too. */
void item_heap_fini(struct item_heap *h);

#endif
