/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lends items to threads, first come, first served. A thread that finds no free item waits in a
 * queue. An item that is given back goes to the first thread of the queue directly, so a thread
 * that comes later cannot overtake one that waits. If no thread waits, the item given back last is
 * lent first.
 *
 * Any thread may call the functions. The caller owns the items.
 */
#ifndef LENDER_H
#define LENDER_H

#include <stdint.h>

struct lender;

/* The first member of whatever is lent. */
struct lender_item {
    struct lender_item *next;
};

struct lender *lender_create(void);
/* Call when no thread waits. The items are not freed. */
void lender_destroy(struct lender *lender);

/* Takes an item, and waits for one until `until_ns` (CLOCK_MONOTONIC; INT64_MAX: without a limit).
 * Returns NULL if none came. *waited_ns is the time that the call waited. */
struct lender_item *lender_take(struct lender *lender, int64_t until_ns, int64_t *waited_ns);
/* Returns the number of threads that wait. */
unsigned lender_waiting(struct lender *lender);
/* From now on no thread waits: lender_take() returns NULL if no item is free. */
void lender_close(struct lender *lender);
/* Adds an item, or gives it back. */
void lender_give(struct lender *lender, struct lender_item *item);

#endif
