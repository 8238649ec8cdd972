/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multiplies the sessions of a log of which the server wrote only one in N (--scale-sampled). Each
 * session is returned N times. Copy 0 is the session itself. Another copy begins later by a time
 * that is drawn from a seed, the number of the session and that of the copy; it is the same for all
 * its statements, and below SESSION_COPIES_SPREAD_NS. So the statements of a copy keep their order
 * and their gaps. Copy c of session s has the number N s + c, and its statements have the `order`
 * of the originals. All fields are 0 at the beginning.
 */
#ifndef SESSION_COPIES_H
#define SESSION_COPIES_H

#include "base/util.h"
#include "workloads/replay/item_heap.h"

#define SESSION_COPIES_SPREAD_NS NS_PER_SEC
/* Largest number of copies; Percona Server has this limit, too. */
#define SESSION_COPIES_MOST 1000

struct session_copies {
    struct item_heap later; /* statements that were not returned yet */
    struct replay_item
        *ahead; /* a statement of the log of which no copies were made yet, or NULL */
};

/*
 * Returns the next statement in the order of time, which the caller frees, or NULL after the last
 * one. next(arg) returns the statements of the log in the order of time.
 */
struct replay_item *session_copies_next(struct session_copies *c, unsigned copies, uint64_t seed,
                                        struct replay_item *(*next)(void *arg), void *arg);
void session_copies_fini(struct session_copies *c);

#endif
