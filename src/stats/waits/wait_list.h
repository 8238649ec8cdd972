/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing list of sessions of a sample (stats/wait_source.h). Used by one thread at a time. */
#ifndef WAIT_LIST_H
#define WAIT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "stats/wait_source.h"

struct wait_list {
    struct wait_session *session; /* `count` elements */
    size_t count, room;
};

void wait_list_fini(struct wait_list *list);
/* Appends a session and returns it, with all fields 0. The pointer is valid until the next call. */
struct wait_session *wait_list_append(struct wait_list *list);
/* Sorts the sessions by their numbers. */
void wait_list_sort(struct wait_list *list);
/* Returns the session with this number, or NULL. The list must be sorted. */
struct wait_session *wait_list_find(const struct wait_list *list, uint64_t id);

#endif
