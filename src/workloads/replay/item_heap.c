/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/item_heap.h"

#include "base/util.h"

static bool is_before(const struct item_place *a, const struct item_place *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

void item_heap_put(struct item_heap *h, struct replay_item *item)
{
    const struct item_place put = {item->time_ns, item->order, item};
    if (h->count == h->room) {
        h->room = h->room == 0 ? 1024 : 2 * h->room;
        h->places = xrealloc(h->places, h->room * sizeof(*h->places));
    }
    size_t at = h->count++;
    for (; at > 0 && is_before(&put, &h->places[(at - 1) / 2]); at = (at - 1) / 2)
        h->places[at] = h->places[(at - 1) / 2];
    h->places[at] = put;
}

struct replay_item *item_heap_take(struct item_heap *h)
{
    if (h->count == 0)
        return NULL;
    struct replay_item *first = h->places[0].item;
    const struct item_place moved = h->places[--h->count];
    size_t at = 0;
    for (size_t child = 1; child < h->count; child = 2 * at + 1) {
        child += child + 1 < h->count && is_before(&h->places[child + 1], &h->places[child]);
        if (!is_before(&h->places[child], &moved))
            break;
        h->places[at] = h->places[child];
        at = child;
    }
    h->places[at] = moved;
    return first;
}

void item_heap_fini(struct item_heap *h)
{
    for (size_t i = 0; i < h->count; i++)
        free(h->places[i].item);
    free(h->places);
    *h = (struct item_heap){0};
}
