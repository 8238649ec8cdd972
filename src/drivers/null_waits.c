/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/null_waits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/util.h"
#include "options/quantity.h"

#define MAX_PHASE_NS (3600 * NS_PER_SEC)

struct null_session {
    struct null_session *next;
    uint64_t id;
    atomic_int phase; /* index of the current phase; −1 between statements */
};

struct null_sessions {
    pthread_mutex_t lock; /* guards the list */
    struct null_session *first;
    uint64_t last_id;
};

/* Reads a percentage such as "@5". Without a percentage the phase is always executed. */
static bool read_probability(const char **text, double *probability)
{
    double percent = 100;
    if (**text == '@') {
        ++*text;
        if (!quantity_read_plain(text, &percent))
            return false;
    }
    *probability = percent / 100;
    return percent <= 100;
}

/* Reads "LABEL=2ms:exp@5" and a comma after it. Returns false if the text is malformed. */
static bool read_phase(const char **text, struct null_phase *phase)
{
    const size_t length = strcspn(*text, "=,");
    double unit_ns = 1;
    if (length == 0 || length >= sizeof(phase->label) || (*text)[length] != '=')
        return false;
    snprintf(phase->label, sizeof(phase->label), "%.*s", (int)length, *text);
    *text += length + 1;
    if (!quantity_read_plain(text, &phase->mean_ns) ||
        !quantity_read_unit(text, UNIT_NS, UNIT_S, &unit_ns))
        return false;
    phase->mean_ns *= unit_ns;
    phase->exponential = strncmp(*text, ":exp", 4) == 0;
    *text += phase->exponential ? 4 : 0;
    if (!read_probability(text, &phase->probability) || phase->mean_ns > (double)MAX_PHASE_NS)
        return false;
    const bool more = **text == ',';
    *text += more;
    return **text == '\0' ? !more : more;
}

static bool parse(const char *text, struct null_waits *waits)
{
    waits->count = 0;
    while (*text != '\0')
        if (waits->count == NULL_PHASES || !read_phase(&text, &waits->phase[waits->count++]))
            return false;
    return true;
}

const char *null_waits_check(const char *value)
{
    struct null_waits waits;
    return parse(value, &waits) && waits.count > 0
               ? NULL
               : "up to 16 of LABEL=TIME, LABEL=TIME:exp or LABEL=TIME@PERCENT, separated by "
                 "commas; times up to an hour in ns, us, ms or s";
}

void null_waits_init(struct null_waits *waits, const char *value)
{
    *waits = (struct null_waits){0};
    if (value != NULL)
        parse(value, waits);
    waits->sessions = xcalloc(1, sizeof(*waits->sessions));
    pthread_mutex_init(&waits->sessions->lock, NULL);
}

void null_waits_fini(struct null_waits *waits)
{
    pthread_mutex_destroy(&waits->sessions->lock);
    free(waits->sessions);
}

struct null_session *null_session_create(struct null_waits *waits)
{
    struct null_sessions *all = waits->sessions;
    struct null_session *session = xcalloc(1, sizeof(*session));
    atomic_init(&session->phase, -1);
    pthread_mutex_lock(&all->lock);
    session->id = ++all->last_id;
    session->next = all->first;
    all->first = session;
    pthread_mutex_unlock(&all->lock);
    return session;
}

void null_session_destroy(struct null_waits *waits, struct null_session *session)
{
    struct null_sessions *all = waits->sessions;
    pthread_mutex_lock(&all->lock);
    struct null_session **at = &all->first;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    pthread_mutex_unlock(&all->lock);
    free(session);
}

uint64_t null_session_id(const struct null_session *session)
{
    return session->id;
}

void null_session_set(struct null_session *session, int phase)
{
    atomic_store_explicit(&session->phase, phase, memory_order_relaxed);
}

void null_waits_sample(const struct null_waits *waits, wait_session_add *add, void *arg)
{
    pthread_mutex_lock(&waits->sessions->lock);
    for (struct null_session *s = waits->sessions->first; s != NULL; s = s->next) {
        const int phase = atomic_load_explicit(&s->phase, memory_order_relaxed);
        struct wait_session sample = {.id = s->id, .activity = WAIT_FOR_EVENT};
        if (phase < 0)
            continue;
        memcpy(sample.event, waits->phase[phase].label, sizeof(sample.event));
        add(arg, &sample);
    }
    pthread_mutex_unlock(&waits->sessions->lock);
}
