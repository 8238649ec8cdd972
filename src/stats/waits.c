/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/waits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/util.h"

/* Number of ended requests that are kept for each worker. A sample is joined only after its round
 * trip, when its request may have ended. */
#define ENDED 64
/* Only delays of requests that are longer than this are looked up in the list of late arrivals. */
#define LATE_NS NS_PER_MS
/* The list of late arrivals grows by one entry per stall of the generator. Pages of it that are not
 * used take no memory. */
#define LATE_MAX 100000

struct session {
    const void *owner; /* NULL if the entry is free */
    struct wait_key key;
};

/* The exact parts of requests of one bucket, as in struct wait_bucket. */
struct parts {
    uint64_t requests;
    double late_ns, queued_ns, service_ns, locked_ns;
};

/* Slots are not aligned, so that pages that are not used take no memory. */
struct slot {
    pthread_mutex_t lock;
    struct session session[WAIT_SESSIONS];
    bool has_unlisted; /* the worker has had sessions that are not in `session` */
    unsigned next_ended;
    struct wait_request ended[ENDED]; /* a ring; end_ns is 0 if an entry is empty */
    struct wait_pending pending;
    int64_t locked_start_ns, locked_ns; /* start of a request, and its measured waits for a lock */
    struct parts parts[WAIT_BUCKETS];
    uint64_t service[WAIT_BUCKETS]; /* requests by service time, warm-up included */
    uint64_t served;
    bool closed;             /* the worker's last request was recorded */
    char apart[CACHE_ALIGN]; /* keeps the lock of the next slot away from these members */
};

struct late {
    int64_t first_ns, last_ns, ready_ns;
};

struct waits {
    unsigned slots;
    struct slot *slot;
    waits_serving *serving;
    void *serving_arg;
    waits_look *look;
    void *look_arg;
    _Atomic int64_t look_ns;     /* workers call `look` from this time on */
    struct exemplars *exemplars; /* NULL if requests are not kept */
    pthread_mutex_t totals_lock; /* guards the following two members */
    struct wait_totals *totals;
    struct wait_history history;
    /* Only the generator adds entries; others read those below late_count, which never change. */
    struct late *late;
    atomic_uint late_count;
};

int64_t waits_bucket_lower_ns(unsigned bucket)
{
    return histogram_lower_ns(bucket << (HISTOGRAM_SUB_BITS - WAIT_SUB_BITS));
}

struct waits *waits_create(unsigned threads)
{
    struct waits *waits = xcalloc(1, sizeof(*waits));
    waits->slots = threads;
    waits->slot = xcalloc(threads, sizeof(*waits->slot));
    waits->late = xcalloc(LATE_MAX, sizeof(*waits->late));
    waits->totals = xcalloc(1, sizeof(*waits->totals));
    atomic_init(&waits->look_ns, INT64_MAX);
    pthread_mutex_init(&waits->totals_lock, NULL);
    for (unsigned i = 0; i < threads; i++)
        pthread_mutex_init(&waits->slot[i].lock, NULL);
    return waits;
}

void waits_destroy(struct waits *waits)
{
    if (waits == NULL)
        return;
    for (unsigned i = 0; i < waits->slots; i++)
        pthread_mutex_destroy(&waits->slot[i].lock);
    pthread_mutex_destroy(&waits->totals_lock);
    free(waits->late);
    free(waits->totals);
    wait_history_fini(&waits->history);
    free(waits->slot);
    free(waits);
}

void waits_set_serving(struct waits *waits, waits_serving *serving, void *arg)
{
    waits->serving = serving;
    waits->serving_arg = arg;
}

void waits_set_look(struct waits *waits, waits_look *look, void *arg)
{
    waits->look = look;
    waits->look_arg = arg;
}

void waits_look_from(struct waits *waits, int64_t from_ns)
{
    atomic_store_explicit(&waits->look_ns, from_ns, memory_order_release);
}

void waits_set_exemplars(struct waits *waits, struct exemplars *exemplars)
{
    waits->exemplars = exemplars;
}

/* Sessions. */

unsigned waits_slots(const struct waits *waits)
{
    return waits->slots;
}

static struct slot *lock_slot(struct waits *waits, unsigned worker)
{
    if (worker >= waits->slots)
        return NULL;
    struct slot *slot = &waits->slot[worker];
    pthread_mutex_lock(&slot->lock);
    return slot;
}

static struct session *find_session(struct slot *slot, const void *owner)
{
    for (unsigned i = 0; i < WAIT_SESSIONS; i++)
        if (slot->session[i].owner == owner)
            return &slot->session[i];
    return NULL;
}

void waits_leave(struct waits *waits, unsigned worker, const void *owner)
{
    struct slot *slot = lock_slot(waits, worker);
    if (slot == NULL)
        return;
    struct session *session = find_session(slot, owner);
    if (session != NULL)
        session->owner = NULL;
    pthread_mutex_unlock(&slot->lock);
}

void waits_join(struct waits *waits, unsigned worker, const void *owner, struct wait_key key)
{
    struct slot *slot = lock_slot(waits, worker);
    if (slot == NULL)
        return;
    struct session *session = find_session(slot, owner);
    if (session == NULL)
        session = find_session(slot, NULL);
    if (session != NULL)
        *session = (struct session){owner, key};
    slot->has_unlisted = slot->has_unlisted || session == NULL;
    pthread_mutex_unlock(&slot->lock);
}

void waits_note_unlisted(struct waits *waits, unsigned worker)
{
    struct slot *slot = lock_slot(waits, worker);
    if (slot == NULL)
        return;
    slot->has_unlisted = true;
    pthread_mutex_unlock(&slot->lock);
}

bool waits_has_unlisted(struct waits *waits, unsigned worker)
{
    struct slot *slot = lock_slot(waits, worker);
    if (slot == NULL)
        return false;
    const bool has_unlisted = slot->has_unlisted;
    pthread_mutex_unlock(&slot->lock);
    return has_unlisted;
}

unsigned waits_sessions(struct waits *waits, unsigned worker, unsigned host,
                        struct wait_key key[WAIT_SESSIONS], bool *others)
{
    struct slot *slot = lock_slot(waits, worker);
    unsigned count = 0;
    *others = false;
    if (slot == NULL)
        return 0;
    for (unsigned i = 0; i < WAIT_SESSIONS; i++) {
        if (slot->session[i].owner == NULL)
            continue;
        if (slot->session[i].key.host == host)
            key[count++] = slot->session[i].key;
        else
            *others = true;
    }
    pthread_mutex_unlock(&slot->lock);
    return count;
}

/* The time before the service. */

void waits_note_late(struct waits *waits, int64_t first_ns, int64_t last_ns, int64_t ready_ns)
{
    const unsigned count = atomic_load_explicit(&waits->late_count, memory_order_relaxed);
    if (count == LATE_MAX)
        return;
    waits->late[count] = (struct late){first_ns, last_ns, ready_ns};
    atomic_store_explicit(&waits->late_count, count + 1, memory_order_release);
}

/* Returns when a worker could take the request. The entries of the list are in the order of
 * arrival. */
static int64_t find_late(const struct waits *waits, int64_t arrival_ns)
{
    const unsigned count = atomic_load_explicit(&waits->late_count, memory_order_acquire);
    unsigned from = 0, to = count;
    while (from < to) {
        const unsigned middle = from + (to - from) / 2;
        if (waits->late[middle].last_ns < arrival_ns)
            from = middle + 1;
        else
            to = middle;
    }
    const bool found = from < count && waits->late[from].first_ns <= arrival_ns;
    return found ? max_i64(arrival_ns, waits->late[from].ready_ns) : arrival_ns;
}

static int64_t ready_ns(const struct waits *waits, const struct wait_request *r)
{
    if (r->start_ns - r->arrival_ns < LATE_NS)
        return r->arrival_ns;
    return min_i64(find_late(waits, r->arrival_ns), r->start_ns);
}

/*
 * A request is queued from the time when it could be taken until its worker had ended the previous
 * request. The rest of the time before its start is the client's: the generator or the worker was
 * late.
 */
static int64_t queued_ns(struct waits *waits, const struct wait_request *r)
{
    const int64_t from_ns = ready_ns(waits, r);
    return max_i64(0, min_i64(r->before_ns, r->start_ns) - from_ns);
}

/* The end of a request. */

static void record_times(struct waits *waits, struct slot *slot, const struct wait_request *r)
{
    struct parts *bucket = &slot->parts[waits_bucket(r->end_ns - r->arrival_ns)];
    const int64_t queued = queued_ns(waits, r);
    bucket->requests++;
    bucket->queued_ns += (double)queued;
    bucket->late_ns += (double)(r->start_ns - r->arrival_ns - queued);
    bucket->service_ns += (double)(r->end_ns - r->start_ns);
    if (slot->locked_start_ns == r->start_ns)
        bucket->locked_ns += (double)min_i64(slot->locked_ns, r->end_ns - r->start_ns);
}

static void add_cell(struct wait_cell *cell, double weight, double total, uint64_t samples)
{
    cell->samples += samples;
    cell->weight += weight;
    cell->squares += weight * weight;
    cell->products += weight * total;
}

/* Adds the samples of a request to the matrix. */
static void flush_pending(struct waits *waits, const struct wait_pending *p, unsigned bucket)
{
    pthread_mutex_lock(&waits->totals_lock);
    struct wait_bucket *b = &waits->totals->bucket[bucket];
    b->sampled++;
    b->samples += p->samples;
    b->near += p->near;
    b->weight += p->total;
    b->squares += p->total * p->total;
    for (uint64_t set = p->labels; set != 0; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
        add_cell(&waits->totals->cell[bucket][i], p->weight[i], p->total, p->count[i]);
    }
    for (unsigned i = 0; i < WAIT_DETAILS; i++)
        waits->totals->detail[bucket][i] += p->detail[i];
    pthread_mutex_unlock(&waits->totals_lock);
}

static void clear_pending(struct wait_pending *p)
{
    if (p->start_ns != 0)
        *p = (struct wait_pending){.start_ns = 0};
}

static void end_pending(struct waits *waits, struct slot *slot, const struct wait_request *r)
{
    struct wait_pending *p = &slot->pending;
    if (p->start_ns == 0)
        return;
    if (p->start_ns == r->start_ns && r->measured)
        flush_pending(waits, p, waits_bucket(r->end_ns - r->arrival_ns));
    clear_pending(p);
}

/* Keeps the request and its samples if it belongs to the slow ones or is drawn. */
static void offer_exemplar(struct waits *waits, unsigned worker, const struct wait_pending *p,
                           const struct wait_request *r)
{
    double number;
    if (!exemplars_wants(waits->exemplars, worker, r->end_ns, r->end_ns - r->arrival_ns, &number))
        return;
    const int64_t queued = queued_ns(waits, r);
    struct exemplar e = {.arrival_ns = r->arrival_ns,
                         .start_ns = r->start_ns,
                         .end_ns = r->end_ns,
                         .queued_ns = queued,
                         .late_ns = r->start_ns - r->arrival_ns - queued,
                         .connection_wait_ns = r->connection_wait_ns,
                         .outcome = r->outcome,
                         .worker = worker,
                         .type = r->type};
    if (p->start_ns == r->start_ns)
        wait_pending_copy(p, &e);
    exemplars_keep(waits->exemplars, &e, number);
}

/* Called with the lock of the slot held. */
static void record_end(struct waits *waits, struct slot *slot, const struct wait_request *r)
{
    if (waits->exemplars != NULL && r->measured)
        offer_exemplar(waits, (unsigned)(slot - waits->slot), &slot->pending, r);
    end_pending(waits, slot, r);
    slot->ended[slot->next_ended++ % ENDED] = *r;
    slot->service[waits_bucket(r->end_ns - r->start_ns)]++;
    slot->served++;
    if (r->measured)
        record_times(waits, slot, r);
}

static void end(struct waits *waits, unsigned worker, const struct wait_request *r, bool last)
{
    struct slot *slot = lock_slot(waits, worker);
    if (slot == NULL)
        return;
    if (!slot->closed)
        record_end(waits, slot, r);
    slot->closed = slot->closed || last;
    pthread_mutex_unlock(&slot->lock);
}

void waits_end(struct waits *waits, unsigned worker, const struct wait_request *r)
{
    end(waits, worker, r, false);
    if (r->end_ns >= atomic_load_explicit(&waits->look_ns, memory_order_acquire))
        waits->look(waits->look_arg, worker, r->end_ns);
}

void waits_end_last(struct waits *waits, unsigned worker, const struct wait_request *r)
{
    end(waits, worker, r, true);
}

void waits_locked(struct waits *waits, unsigned worker, int64_t ns)
{
    int64_t arrival_ns, start_ns;
    struct slot *slot = lock_slot(waits, worker);
    if (slot == NULL)
        return;
    if (waits->serving(waits->serving_arg, worker, &arrival_ns, &start_ns)) {
        slot->locked_ns = slot->locked_start_ns == start_ns ? slot->locked_ns + ns : ns;
        slot->locked_start_ns = start_ns;
    }
    pthread_mutex_unlock(&slot->lock);
}

void waits_never_started(struct waits *waits, int64_t age_ns, uint64_t count)
{
    pthread_mutex_lock(&waits->totals_lock);
    struct wait_bucket *b = &waits->totals->bucket[waits_bucket(age_ns)];
    b->requests += count;
    b->queued_ns += (double)age_ns * (double)count;
    pthread_mutex_unlock(&waits->totals_lock);
}

/* Samples. */

/* Returns true if the sample is so near to the start or to the end of the request that it may be of
 * another request. `end_ns` is INT64_MAX if the request is in service. */
static bool is_near(const struct wait_sample *s, int64_t start_ns, int64_t end_ns)
{
    return s->at_ns - start_ns < s->half_ns || end_ns - s->at_ns < s->half_ns;
}

/* Adds a sample of a request that has ended after the sample was taken. */
static void add_ended(struct waits *waits, const struct wait_request *r,
                      const struct wait_sample *s)
{
    struct wait_pending one = {.start_ns = r->start_ns};
    if (!r->measured)
        return;
    wait_pending_add(&one, s, is_near(s, r->start_ns, r->end_ns));
    flush_pending(waits, &one, waits_bucket(r->end_ns - r->arrival_ns));
}

static bool served_at(const struct wait_request *r, int64_t at_ns)
{
    return r->end_ns != 0 && r->start_ns <= at_ns && at_ns < r->end_ns;
}

/* Returns the request that had ended and was served at that time, or NULL. */
static const struct wait_request *find_ended(const struct slot *slot, int64_t at_ns)
{
    for (unsigned i = 0; i < ENDED; i++)
        if (served_at(&slot->ended[i], at_ns))
            return &slot->ended[i];
    return NULL;
}

/* Returns true if requests that ended after `at_ns` may have been dropped from the list. */
static bool has_forgotten(const struct slot *slot, int64_t at_ns)
{
    const struct wait_request *oldest = &slot->ended[slot->next_ended % ENDED];
    return oldest->end_ns != 0 && oldest->start_ns > at_ns;
}

static void count_sample(struct waits *waits, const struct wait_sample *s, bool matched)
{
    struct wait_totals *totals = waits->totals;
    pthread_mutex_lock(&waits->totals_lock);
    totals->heaviest_ns = s->weight_ns > totals->heaviest_ns ? s->weight_ns : totals->heaviest_ns;
    totals->taken += matched;
    totals->unmatched += !matched;
    if (matched)
        wait_history_add(&waits->history, s->at_ns, s->label, s->weight_ns);
    pthread_mutex_unlock(&waits->totals_lock);
}

void waits_sums(struct waits *waits, struct wait_sums *sums)
{
    pthread_mutex_lock(&waits->totals_lock);
    *sums = waits->history.all;
    pthread_mutex_unlock(&waits->totals_lock);
}

void waits_sums_between(struct waits *waits, int64_t from_ns, int64_t to_ns, struct wait_sums *sums)
{
    pthread_mutex_lock(&waits->totals_lock);
    wait_history_between(&waits->history, from_ns, to_ns, sums);
    pthread_mutex_unlock(&waits->totals_lock);
}

/* Adds a sample to the request in service. Returns false if the request began after the sample was
 * taken. */
static bool add_current(struct waits *waits, unsigned worker, struct slot *slot,
                        const struct wait_sample *s)
{
    struct wait_pending *p = &slot->pending;
    const struct wait_request *last = &slot->ended[(slot->next_ended - 1) % ENDED];
    int64_t arrival_ns, start_ns;
    if (!waits->serving(waits->serving_arg, worker, &arrival_ns, &start_ns) || start_ns > s->at_ns)
        return false;
    /* The worker has recorded the end of the request and has not cleared its own fields yet. */
    if (last->end_ns != 0 && last->start_ns == start_ns)
        return false;
    if (p->start_ns != start_ns)
        clear_pending(p);
    p->start_ns = start_ns;
    wait_pending_add(p, s, is_near(s, start_ns, INT64_MAX));
    return true;
}

void waits_sample(struct waits *waits, unsigned worker, const struct wait_sample *s)
{
    struct slot *slot = lock_slot(waits, worker);
    if (slot == NULL)
        return;
    const struct wait_request *ended = find_ended(slot, s->at_ns);
    if (ended != NULL)
        add_ended(waits, ended, s);
    if (ended != NULL || add_current(waits, worker, slot, s))
        count_sample(waits, s, true);
    else if (has_forgotten(slot, s->at_ns))
        count_sample(waits, s, false);
    pthread_mutex_unlock(&slot->lock);
}

int64_t waits_oldest_start_ns(const struct waits *waits, unsigned except, int64_t now_ns)
{
    int64_t oldest_ns = now_ns;
    for (unsigned i = 0; i < waits->slots; i++) {
        int64_t arrival_ns, start_ns;
        if (i != except && waits->serving(waits->serving_arg, i, &arrival_ns, &start_ns))
            oldest_ns = min_i64(oldest_ns, start_ns);
    }
    return oldest_ns;
}

int64_t waits_service_percentile(struct waits *waits, int64_t percentile, uint64_t least)
{
    uint64_t *sum = xcalloc(WAIT_BUCKETS, sizeof(*sum)), total = 0, seen = 0;
    for (unsigned i = 0; i < waits->slots; i++) {
        struct slot *slot = lock_slot(waits, i);
        for (unsigned b = 0; slot->served > 0 && b < WAIT_BUCKETS; b++)
            sum[b] += slot->service[b];
        total += slot->served;
        pthread_mutex_unlock(&slot->lock);
    }
    const double rank = (double)total * (double)percentile / (100.0 * PERCENT);
    unsigned b = 0;
    while (b + 1 < WAIT_BUCKETS && (double)(seen += sum[b]) < rank)
        b++;
    free(sum);
    return total >= least && b + 1 < WAIT_BUCKETS ? waits_bucket_lower_ns(b + 1) : INT64_MAX;
}

static void add_parts(struct wait_bucket *to, const struct parts *from)
{
    to->requests += from->requests;
    to->late_ns += from->late_ns;
    to->queued_ns += from->queued_ns;
    to->service_ns += from->service_ns;
    to->locked_ns += from->locked_ns;
}

void waits_total(struct waits *waits, struct wait_totals *totals)
{
    pthread_mutex_lock(&waits->totals_lock);
    *totals = *waits->totals;
    pthread_mutex_unlock(&waits->totals_lock);
    for (unsigned i = 0; i < waits->slots; i++) {
        struct slot *slot = lock_slot(waits, i);
        for (unsigned b = 0; slot->served > 0 && b < WAIT_BUCKETS; b++)
            add_parts(&totals->bucket[b], &slot->parts[b]);
        pthread_mutex_unlock(&slot->lock);
    }
}
