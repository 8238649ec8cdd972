/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/waits/wait_list.h"

#include <stdlib.h>

#include "base/util.h"

void wait_list_fini(struct wait_list *list)
{
    free(list->session);
}

struct wait_session *wait_list_append(struct wait_list *list)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        list->session = xrealloc(list->session, list->room * sizeof(*list->session));
    }
    list->session[list->count] = (struct wait_session){0};
    return &list->session[list->count++];
}

static int by_id(const void *a, const void *b)
{
    const struct wait_session *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

void wait_list_sort(struct wait_list *list)
{
    if (list->count > 0)
        qsort(list->session, list->count, sizeof(*list->session), by_id);
}

struct wait_session *wait_list_find(const struct wait_list *list, uint64_t id)
{
    const struct wait_session key = {.id = id};
    return list->count > 0
               ? bsearch(&key, list->session, list->count, sizeof(*list->session), by_id)
               : NULL;
}
