/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/session_copies.h"

#include <string.h>

#include "base/rand_stream.h"

static int64_t shift_ns(uint64_t seed, uint32_t session, unsigned copy)
{
    const uint64_t bits = rand_mix64(rand_mix64(seed) ^ ((uint64_t)session << 32 | copy));
    return (int64_t)((double)(bits >> 11) * 0x1p-53 * SESSION_COPIES_SPREAD_NS);
}

static void add_copies(struct session_copies *c, struct replay_item *item, unsigned copies,
                       uint64_t seed)
{
    const uint32_t session = item->session;
    item->session = session * copies;
    for (unsigned i = 1; i < copies; i++) {
        const size_t bytes = sizeof(*item) + item->length + 1;
        struct replay_item *copy = xcalloc(1, bytes);
        memcpy(copy, item, bytes);
        copy->origin = NULL;
        copy->session = session * copies + i;
        copy->time_ns += shift_ns(seed, session, i);
        item_heap_put(&c->later, copy);
    }
    item_heap_put(&c->later, item);
}

struct replay_item *session_copies_next(struct session_copies *c, unsigned copies, uint64_t seed,
                                        struct replay_item *(*next)(void *arg), void *arg)
{
    for (;;) {
        if (c->ahead == NULL)
            c->ahead = next(arg);
        if (c->ahead == NULL)
            return item_heap_take(&c->later);
        if (c->later.count > 0 && c->later.places[0].time_ns <= c->ahead->time_ns)
            return item_heap_take(&c->later);
        add_copies(c, c->ahead, copies, seed);
        c->ahead = NULL;
    }
}

void session_copies_fini(struct session_copies *c)
{
    item_heap_fini(&c->later);
    free(c->ahead);
    *c = (struct session_copies){0};
}
