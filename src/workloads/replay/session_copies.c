/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/session_copies.h"

#include <string.h>

#include "base/rand_stream.h"

/* Returns how much later a copy begins than its session. The copies of a session begin in the order
 * of their numbers, each at a random time of a part of its own. */
static int64_t shift_ns(uint32_t session, unsigned copy, unsigned most)
{
    if (copy == 0)
        return 0;
    const uint64_t bits = rand_mix64(rand_mix64(0) ^ ((uint64_t)session << 32 | copy));
    const double part = (double)(bits >> 11) * 0x1p-53 + copy - 1;
    return (int64_t)(part / (most - 1) * SESSION_COPIES_SPREAD_NS);
}

static struct replay_item *duplicate(const struct replay_item *item)
{
    const size_t bytes = sizeof(*item) + item->length + 1;
    struct replay_item *copy = xcalloc(1, bytes);
    memcpy(copy, item, bytes);
    return copy;
}

/* Takes the first statement out of the heap. If more copies of it are to be returned, it is put
 * back with the time of the next one. */
static struct replay_item *take_copy(struct session_copies *c, unsigned most)
{
    struct replay_item *item = item_heap_take(&c->later), *copy = item;
    if (item == NULL)
        return NULL;
    const uint32_t session = item->session;
    const unsigned number = item->copy;
    if (number + 1 < item->one_in) {
        copy = duplicate(item);
        item->copy++;
        item->time_ns +=
            shift_ns(session, number + 1, most) - shift_ns(session, number, most);
        item_heap_put(&c->later, item);
    }
    copy->session = session * most + number;
    return copy;
}

struct replay_item *session_copies_next(struct session_copies *c, unsigned most,
                                        struct replay_item *(*next)(void *arg), void *arg)
{
    for (;;) {
        if (c->ahead == NULL)
            c->ahead = next(arg);
        if (c->ahead == NULL ||
            (c->later.count > 0 && c->later.places[0].time_ns <= c->ahead->time_ns))
            return take_copy(c, most);
        item_heap_put(&c->later, c->ahead);
        c->ahead = NULL;
    }
}

void session_copies_fini(struct session_copies *c)
{
    item_heap_fini(&c->later);
    free(c->ahead);
    *c = (struct session_copies){0};
}
