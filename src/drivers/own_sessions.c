/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/own_sessions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"

const char own_session_on_cpu[] = "on CPU";

struct own_session {
    struct own_session *next;
    uint64_t id;
    _Atomic(const char *) event;
};

struct own_sessions {
    pthread_mutex_t lock; /* guards the list */
    struct own_session *first;
    uint64_t last_id;
};

struct own_sessions *own_sessions_create(void)
{
    struct own_sessions *all = xcalloc(1, sizeof(*all));
    pthread_mutex_init(&all->lock, NULL);
    return all;
}

void own_sessions_destroy(struct own_sessions *all)
{
    pthread_mutex_destroy(&all->lock);
    free(all);
}

struct own_session *own_session_create(struct own_sessions *all)
{
    struct own_session *session = xcalloc(1, sizeof(*session));
    pthread_mutex_lock(&all->lock);
    session->id = ++all->last_id;
    session->next = all->first;
    all->first = session;
    pthread_mutex_unlock(&all->lock);
    return session;
}

void own_session_destroy(struct own_sessions *all, struct own_session *session)
{
    pthread_mutex_lock(&all->lock);
    struct own_session **at = &all->first;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    pthread_mutex_unlock(&all->lock);
    free(session);
}

uint64_t own_session_id(const struct own_session *session)
{
    return session->id;
}

void own_session_set(struct own_session *session, const char *event)
{
    atomic_store_explicit(&session->event, event, memory_order_relaxed);
}

void own_sessions_sample(struct own_sessions *all, wait_session_add *add, void *arg)
{
    pthread_mutex_lock(&all->lock);
    for (struct own_session *s = all->first; s != NULL; s = s->next) {
        const char *event = atomic_load_explicit(&s->event, memory_order_relaxed);
        struct wait_session sample = {.id = s->id, .activity = WAIT_ON_CPU};
        if (event == NULL)
            continue;
        if (event != own_session_on_cpu) {
            sample.activity = WAIT_FOR_EVENT;
            snprintf(sample.event, sizeof(sample.event), "%s", event);
        }
        add(arg, &sample);
    }
    pthread_mutex_unlock(&all->lock);
}
