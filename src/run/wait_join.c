/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/wait_join.h"

#include "base/util.h"

/* A time without samples is divided into steps. Each worker gets a sample in each step. The steps
 * are as short as MISSED_MAX samples allow, but MISSED_STEPS steps are always allowed, however many
 * workers there are. */
#define MISSED_MAX 1000000
#define MISSED_STEPS 100
#define MISSED_STEP_NS (10 * NS_PER_MS)

/* Adds a sample, whose label does not come from the server, to the request that the worker served
 * at sample->at_ns. A worker whose sessions are all on other hosts is skipped. A worker without any
 * session gets its samples with the first host, as WAIT_LABEL_NOT_CONNECTED unless this process did
 * not run. */
static void add_label(struct host *h, unsigned worker, struct wait_sample *sample, unsigned label)
{
    struct wait_key key[WAIT_SESSIONS];
    bool others;
    const bool here = waits_sessions(h->all->waits, worker, h->number, key, &others) > 0;
    if (!here && (others || h->number > 0))
        return;
    sample->label = here || label == WAIT_LABEL_ABSENT ? label : WAIT_LABEL_NOT_CONNECTED;
    waits_sample(h->all->waits, worker, sample);
}

void wait_join_labels(struct host *h, unsigned label, int64_t at_ns, double weight_ns)
{
    struct wait_sample sample = {.at_ns = at_ns, .weight_ns = weight_ns, .group = WAIT_NO_GROUP};
    for (unsigned i = 0; i < h->all->workers; i++)
        add_label(h, i, &sample, label);
}

/* Reserves the part of a time without samples that is not recorded yet. Returns its beginning, or
 * to_ns if there is no such part. */
static int64_t claim_missed(struct host *h, int64_t from_ns, int64_t to_ns)
{
    int_least64_t known_ns = atomic_load(&h->missed_ns);
    while (known_ns < to_ns && !atomic_compare_exchange_weak(&h->missed_ns, &known_ns, to_ns))
        ;
    return min_i64(max_i64(from_ns, known_ns), to_ns);
}

void wait_join_missed(struct host *h, unsigned label, int64_t first_ns, int64_t to_ns)
{
    const int64_t from_ns = claim_missed(h, first_ns, to_ns);
    const int64_t steps = max_i64(MISSED_STEPS, MISSED_MAX / max_i64(1, h->all->workers));
    const double fast_ns = NS_PER_SEC / (WAIT_TRIGGER_FACTOR * h->all->record->per_second);
    const int64_t step_ns =
        max_i64(max_i64((int64_t)fast_ns, MISSED_STEP_NS), (to_ns - from_ns) / steps);
    for (int64_t at_ns = from_ns + step_ns / 2; at_ns < to_ns && !atomic_load(&h->given_up);
         at_ns += step_ns)
        wait_join_labels(h, label, at_ns, (double)step_ns);
}

/* Returns the session of a worker that works or waits for an event. Returns NULL if all sessions of
 * the worker have nothing to do. */
static const struct wait_session *busy_session(const struct host *h, const struct wait_key *key,
                                               unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct wait_session *s = wait_sessions_find(&h->sessions, key[i].session);
        if (s != NULL && s->activity != WAIT_FOR_CLIENT)
            return s;
    }
    return NULL;
}

/* Adds a sample of a worker. If the worker has sessions on several hosts and is not busy on this
 * one, it may be busy on another one and is sampled there. A worker without a session is sampled
 * with the first host. A worker with sessions that are not sampled may be busy in one of them. */
static void add_worker(struct host *h, unsigned worker, struct wait_sample *sample)
{
    struct wait_key key[WAIT_SESSIONS];
    bool others;
    const unsigned count = waits_sessions(h->all->waits, worker, h->number, key, &others);
    const struct wait_session *s = busy_session(h, key, count);
    if (s == NULL && (others || (count == 0 && h->number > 0)))
        return;
    wait_sessions_label(&h->sessions, s, &h->all->record->names, sample);
    if (s == NULL && waits_has_unlisted(h->all->waits, worker))
        sample->label = WAIT_LABEL_OTHER;
    else if (count == 0)
        sample->label = WAIT_LABEL_NOT_CONNECTED;
    waits_sample(h->all->waits, worker, sample);
}

/* Collects the sessions of this run on the host: those of workers and of executors of deferred
 * work. */
static void collect_own(struct host *h)
{
    struct wait_key key[WAIT_SESSIONS];
    bool others;
    for (unsigned i = 0; i < waits_slots(h->all->waits); i++) {
        const unsigned count = waits_sessions(h->all->waits, i, h->number, key, &others);
        for (unsigned k = 0; k < count; k++)
            wait_sessions_own(&h->sessions, key[k].session, i);
    }
    wait_sessions_sort(&h->sessions);
}

/* Records the sessions of this rank, so that the merged report recognizes them where they block
 * workers of other ranks. */
static void note_own(struct host *h)
{
    for (size_t i = 0; i < h->sessions.own_count && h->sessions.record != NULL; i++)
        wait_record_note_own(
            h->all->record,
            (struct wait_key){.session = h->sessions.own[i].session, .host = h->number});
}

void wait_join_sample(struct host *h, int64_t before_ns, int64_t after_ns, double weight_ns)
{
    struct wait_sample sample = {.at_ns = before_ns + (after_ns - before_ns) / 2,
                                 .half_ns = (after_ns - before_ns) / 2,
                                 .weight_ns = weight_ns};
    collect_own(h);
    pthread_mutex_lock(&h->all->lock);
    note_own(h);
    h->all->record->statements++;
    h->all->record->round_trips_ns += 2 * (double)sample.half_ns;
    for (unsigned i = 0; i < h->all->workers; i++)
        add_worker(h, i, &sample);
    pthread_mutex_unlock(&h->all->lock);
}
