/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/session_map.h"

#include "base/rand_stream.h"
#include "base/util.h"

static struct log_session **slot_of(const struct session_map *m, uint64_t key)
{
    struct log_session **at = &m->slots[rand_mix64(key) & (m->room - 1)];
    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static void grow(struct session_map *m)
{
    struct session_map old = *m;
    m->room = old.room == 0 ? 256 : 2 * old.room;
    m->slots = xcalloc(m->room, sizeof(struct log_session *));
    for (size_t i = 0; i < old.room; i++)
        for (struct log_session *s = old.slots[i], *next; s != NULL; s = next) {
            next = s->next;
            s->next = NULL;
            *slot_of(m, s->key) = s;
        }
    free(old.slots);
}

struct log_session *session_map_get(struct session_map *m, uint64_t key)
{
    if (m->count >= m->room)
        grow(m);
    struct log_session **at = slot_of(m, key);
    if (*at == NULL) {
        *at = xcalloc(1, sizeof(**at));
        (*at)->key = key;
        (*at)->last_ns = INT64_MIN;
        m->count++;
    }
    return *at;
}

struct log_session *session_map_remove(struct session_map *m, uint64_t key)
{
    struct log_session **at = m->room > 0 ? slot_of(m, key) : NULL;
    if (at == NULL || *at == NULL)
        return NULL;
    struct log_session *gone = *at;
    *at = gone->next;
    m->count--;
    return gone;
}

void session_map_fini(struct session_map *m)
{
    for (size_t i = 0; i < m->room; i++)
        for (struct log_session *s = m->slots[i], *next; s != NULL; s = next) {
            next = s->next;
            free(s);
        }
    free(m->slots);
    *m = (struct session_map){0};
}
