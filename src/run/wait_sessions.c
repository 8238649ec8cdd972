/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/wait_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* Longest chain of blocking sessions that is followed. A longer chain ends there, and so does a
 * circle, which is a deadlock that the server will resolve. */
#define CHAIN_MAX 64

void wait_sessions_fini(struct wait_sessions *s)
{
    wait_list_fini(&s->list);
    free(s->own);
}

void wait_sessions_clear(struct wait_sessions *s)
{
    s->list.count = s->own_count = 0;
}

void wait_sessions_add(void *sessions, const struct wait_session *session)
{
    struct wait_sessions *s = sessions;
    struct wait_session *added = wait_list_append(&s->list);
    *added = *session;
    if (s->hide_texts)
        added->text[0] = '\0';
}

void wait_sessions_own(struct wait_sessions *s, uint64_t session, unsigned worker)
{
    if (s->own_count == s->own_room) {
        s->own_room = s->own_room == 0 ? 64 : 2 * s->own_room;
        s->own = xrealloc(s->own, s->own_room * sizeof(*s->own));
    }
    s->own[s->own_count++] = (struct wait_own){session, worker};
}

static int by_session(const void *a, const void *b)
{
    const struct wait_own *x = a, *y = b;
    return x->session < y->session ? -1 : x->session > y->session;
}

void wait_sessions_sort(struct wait_sessions *s)
{
    wait_list_sort(&s->list);
    if (s->own_count > 0)
        qsort(s->own, s->own_count, sizeof(*s->own), by_session);
}

const struct wait_session *wait_sessions_find(const struct wait_sessions *s, uint64_t id)
{
    return wait_list_find(&s->list, id);
}

static bool is_own(const struct wait_sessions *s, uint64_t id)
{
    const struct wait_own key = {.session = id};
    return s->own_count > 0 && bsearch(&key, s->own, s->own_count, sizeof(*s->own), by_session);
}

static bool is_known(uint64_t blocker)
{
    return blocker != WAIT_NO_BLOCKER && blocker != WAIT_UNKNOWN_BLOCKER;
}

/* Returns the session at the beginning of the chain: it blocks others and is not blocked. */
static uint64_t root_of(const struct wait_sessions *s, uint64_t blocker)
{
    for (unsigned i = 0; i < CHAIN_MAX; i++) {
        const struct wait_session *next = wait_sessions_find(s, blocker);
        if (next == NULL || !is_known(next->blocker))
            return blocker;
        blocker = next->blocker;
    }
    return blocker;
}

static unsigned stranger_of(const struct wait_sessions *s, uint64_t id, struct wait_names *names,
                            double weight_ns)
{
    const struct wait_session *session = wait_sessions_find(s, id);
    const struct wait_session unknown = {.id = id};
    const unsigned stranger = wait_names_stranger(names, session != NULL ? session : &unknown);
    const struct wait_blocker blocker = {.stranger = stranger - WAIT_BY_STRANGER,
                                         .key = {.session = id, .host = s->host},
                                         .weight_ns = weight_ns};
    if (s->record != NULL && stranger != WAIT_BY_UNKNOWN)
        wait_record_note_blocker(s->record, &blocker);
    return stranger;
}

static unsigned blocker_of(const struct wait_sessions *s, uint64_t blocker,
                           struct wait_names *names, double weight_ns)
{
    if (!is_known(blocker))
        return blocker == WAIT_NO_BLOCKER ? WAIT_BY_NOBODY : WAIT_BY_UNKNOWN;
    const uint64_t root = root_of(s, blocker);
    return is_own(s, root) ? WAIT_BY_RUN : stranger_of(s, root, names, weight_ns);
}

void wait_sessions_label(const struct wait_sessions *s, const struct wait_session *session,
                         struct wait_names *names, struct wait_sample *sample)
{
    sample->detail = 0;
    sample->group = WAIT_NO_GROUP;
    sample->label = WAIT_LABEL_CLIENT;
    if (session == NULL || session->activity == WAIT_FOR_CLIENT)
        return;
    sample->label = WAIT_LABEL_CPU;
    if (session->activity == WAIT_ON_CPU)
        return;
    sample->label = wait_names_label(names, session->event);
    sample->group = wait_names_group(session->event);
    struct wait_detail detail = {.label = sample->label,
                                 .blocker =
                                     blocker_of(s, session->blocker, names, sample->weight_ns)};
    memcpy(detail.object, session->object, sizeof(detail.object));
    sample->detail = wait_names_detail(names, &detail);
}
