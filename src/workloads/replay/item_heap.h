/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A heap of statements, ordered by start time; statements of the same time are ordered as in the
 * log. All fields are 0 if it is empty. */
#ifndef ITEM_HEAP_H
#define ITEM_HEAP_H

#include "workloads/replay/replay_item.h"

/* The keys are stored next to the pointer, because following the pointer would cost more than the
 * rest of the comparison. */
struct item_place {
    int64_t time_ns;
    uint64_t order;
    struct replay_item *item;
};

struct item_heap {
    struct item_place *places; /* the first statement is in places[0] */
    size_t count, room;
};

/* Adds a statement, which belongs to the heap from then on. */
void item_heap_put(struct item_heap *h, struct replay_item *item);
/* Removes and returns the first statement, or NULL if the heap is empty. */
struct replay_item *item_heap_take(struct item_heap *h);
/* Frees the heap and the statements in it. */
void item_heap_fini(struct item_heap *h);

#endif
