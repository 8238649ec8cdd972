/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multiplies the statements of a log of which the server wrote only one in N (--scale-sampled).
 * Each statement is returned item->one_in times, as one of the session itself (copy 0) and of the
 * copies 1, 2 … of its session. A copy begins later by a time that depends on the number of the
 * session and that of the copy only, is the same for all its statements, and is below
 * SESSION_COPIES_SPREAD_NS. So the statements of a copy keep their order and their gaps, and all
 * runs with a log have the same copies. If the largest N of the log is M, copy c of session s has
 * the number M s + c, and its statements have the `order` of the originals. Memory is needed for
 * the statements within SESSION_COPIES_SPREAD_NS in the log, whatever N is. All fields are 0 at the
 * beginning.
 */
#ifndef SESSION_COPIES_H
#define SESSION_COPIES_H

#include "base/util.h"
#include "workloads/replay/item_heap.h"

#define SESSION_COPIES_SPREAD_NS NS_PER_SEC
/* Largest number of copies; Percona Server has this limit, too. */
#define SESSION_COPIES_MOST 1000

struct session_copies {
    struct item_heap later; /* statements that were not returned one_in times yet */
    struct replay_item *ahead; /* a statement of the log that is not in `later` yet, or NULL */
};

/*
 * Returns the next statement in the order of time, which the caller frees, or NULL after the last
 * one. next(arg) returns the statements of the log in the order of time; none has a larger `one_in`
 * than `most`, which is at least 2.
 */
struct replay_item *session_copies_next(struct session_copies *c, unsigned most,
                                        struct replay_item *(*next)(void *arg), void *arg);
void session_copies_fini(struct session_copies *c);

#endif
