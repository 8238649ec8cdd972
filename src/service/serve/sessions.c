/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/sessions.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"

struct session {
    enum token_role role;
    const char *name;
    int64_t end_ns;
    char id[SESSION_ID_BYTES + 1];
};

struct sessions {
    int64_t length_ns;       /* time after which a session expires */
    pthread_mutex_t mutex;   /* protects the fields below */
    struct session *session; /* oldest first */
    size_t count, room;
};

struct sessions *sessions_create(int64_t length_ns)
{
    struct sessions *sessions = xcalloc(1, sizeof(*sessions));
    sessions->length_ns = length_ns;
    pthread_mutex_init(&sessions->mutex, NULL);
    return sessions;
}

void sessions_destroy(struct sessions *sessions)
{
    if (sessions == NULL)
        return;
    if (sessions->session != NULL)
        explicit_bzero(sessions->session, sessions->count * sizeof(*sessions->session));
    free(sessions->session);
    pthread_mutex_destroy(&sessions->mutex);
    free(sessions);
}

static void draw_id(char *id)
{
    unsigned char drawn[SESSION_ID_BYTES / 2];
    if (getrandom(drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn)) {
        log_errno(LOG_FATAL, "serve: cannot get random numbers");
        abort();
    }
    for (size_t i = 0; i < sizeof(drawn); i++)
        sprintf(id + 2 * i, "%02x", drawn[i]);
}

/* The caller holds the mutex. */
static void remove_at(struct sessions *sessions, size_t at)
{
    struct session *one = &sessions->session[at];
    sessions->count--;
    memmove(one, one + 1, (sessions->count - at) * sizeof(*one));
    explicit_bzero(&sessions->session[sessions->count], sizeof(*one));
}

/* Makes room for one more session. Ids are erased from memory before it is freed. The caller holds
 * the mutex. */
static void grow(struct sessions *sessions)
{
    if (sessions->count < sessions->room)
        return;
    const size_t room = sessions->room == 0 ? 16 : 2 * sessions->room;
    struct session *larger = xcalloc(room, sizeof(*larger));
    if (sessions->count > 0) {
        memcpy(larger, sessions->session, sessions->count * sizeof(*larger));
        explicit_bzero(sessions->session, sessions->count * sizeof(*larger));
    }
    free(sessions->session);
    sessions->session = larger;
    sessions->room = room;
}

/* Removes expired sessions, and the oldest ones of `name` if this token has SESSIONS_MAX or more.
 * The caller holds the mutex. */
static void make_room(struct sessions *sessions, const char *name)
{
    const int64_t now = clock_now_ns();
    size_t same = 0;
    for (size_t i = sessions->count; i-- > 0;)
        if (sessions->session[i].end_ns <= now ||
            (sessions->session[i].name == name && ++same >= SESSIONS_MAX))
            remove_at(sessions, i);
}

void sessions_open(struct sessions *sessions, enum token_role role, const char *name, char *id)
{
    struct session one = {role, name, clock_now_ns() + sessions->length_ns, ""};
    draw_id(one.id);
    strcpy(id, one.id);
    pthread_mutex_lock(&sessions->mutex);
    make_room(sessions, name);
    grow(sessions);
    sessions->session[sessions->count++] = one;
    pthread_mutex_unlock(&sessions->mutex);
    explicit_bzero(one.id, sizeof(one.id));
}

/* Returns the session with this id, or NULL. The caller holds the mutex. */
static struct session *find(struct sessions *sessions, const char *id)
{
    struct session *found = NULL;
    if (id == NULL || strlen(id) != SESSION_ID_BYTES)
        return NULL;
    for (size_t i = 0; i < sessions->count; i++)
        if (tokens_same(id, sessions->session[i].id, SESSION_ID_BYTES))
            found = &sessions->session[i];
    return found != NULL && found->end_ns > clock_now_ns() ? found : NULL;
}

enum token_role sessions_role(struct sessions *sessions, const char *id, const char **name)
{
    enum token_role role = ROLE_NONE;
    pthread_mutex_lock(&sessions->mutex);
    const struct session *found = find(sessions, id);
    if (found != NULL) {
        role = found->role;
        *name = found->name;
    }
    pthread_mutex_unlock(&sessions->mutex);
    return role;
}

void sessions_close(struct sessions *sessions, const char *id)
{
    pthread_mutex_lock(&sessions->mutex);
    const struct session *found = find(sessions, id);
    if (found != NULL)
        remove_at(sessions, (size_t)(found - sessions->session));
    pthread_mutex_unlock(&sessions->mutex);
}
