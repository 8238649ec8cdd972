/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/ledger.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/sort.h"
#include "base/util.h"
#include "stats/waits.h"

/* A worker that waits for a request marks the request within 1 ms after the arrival, unless the
 * system preempts the worker at that moment. */
#define MARKED_NS NS_PER_MS
/* ledger_add_noting_late() notes requests that are put at least this long after their arrival. */
#define NOTED_NS NS_PER_MS
/* Minimum number of entries; there are also at least 4 for each worker. A power of two. */
#define ENTRIES_MIN 8192

/* A request that was put ahead of time, or that arrived after one that was put ahead. */
struct entry {
    int64_t arrival_ns;
    _Atomic int64_t ready_ns; /* as in struct request */
};

struct ledger {
    struct ledger_plan plan;
    pthread_mutex_t lock; /* guards all fields below */
    struct goodness goodness;
    struct drop_group *drops;
    size_t drop_count, drop_room;
    /* A ring of entries. The three counters say how many requests were expected, have arrived, and
     * were judged (settled) since the start: expected ≥ arrived ≥ judged. */
    struct entry *entries;
    int64_t *asked_ns, *made_ns; /* arrival and actual times of the entries that are judged
                                    together */
    uint64_t room, expected, arrived, judged;
    int64_t awake_ns; /* the generator sleeps until then; INT64_MAX if it is awake */
};

struct ledger *ledger_create(const struct ledger_plan *plan)
{
    struct ledger *l = xcalloc(1, sizeof(*l));
    l->plan = *plan;
    l->awake_ns = INT64_MAX;
    l->room = ENTRIES_MIN;
    while (l->room < 4 * (uint64_t)plan->takers)
        l->room *= 2;
    l->entries = xcalloc(l->room, sizeof(*l->entries));
    l->asked_ns = xcalloc(l->room, sizeof(*l->asked_ns));
    l->made_ns = xcalloc(l->room, sizeof(*l->made_ns));
    goodness_init(&l->goodness, plan->asked);
    if (plan->asked->kind == ARRIVAL_SHAPED)
        goodness_follow(&l->goodness, plan->asked, plan->seed);
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

void ledger_destroy(struct ledger *l)
{
    if (l == NULL)
        return;
    pthread_mutex_destroy(&l->lock);
    free(l->entries);
    free(l->asked_ns);
    free(l->made_ns);
    free(l->drops);
    free(l);
}

static struct entry *entry(const struct ledger *l, uint64_t number)
{
    return &l->entries[number & (l->room - 1)];
}

static enum phase phase_of(const struct ledger *l, int64_t arrival_ns)
{
    return arrival_ns < l->plan.measure_ns ? PHASE_WARMUP : PHASE_MEASURED;
}

/* Records the goodness of fit, also for requests that find the queue full. Inlined, because the
 * function is called for each request. */
static inline __attribute__((always_inline)) void record_fit(struct ledger *l, int64_t arrival_ns,
                                                             int64_t made_ns)
{
    int64_t start_ns = l->plan.start_ns;
    if (phase_of(l, arrival_ns) == PHASE_MEASURED)
        goodness_add(&l->goodness, arrival_ns - start_ns, made_ns - start_ns);
    else
        goodness_skip(&l->goodness, arrival_ns - start_ns, made_ns - start_ns);
}

/* Records everything about a request that was put when it was due, or later. */
static void record(struct ledger *l, int64_t arrival_ns, int64_t made_ns)
{
    enum phase phase = phase_of(l, arrival_ns);
    stats_record_arrival(l->plan.stats, phase, arrival_ns - l->plan.start_ns);
    stats_record_lag(l->plan.stats, phase, made_ns - arrival_ns);
    record_fit(l, arrival_ns, made_ns);
}

/* Records the goodness of fit of entries that are judged together. The actual times are sorted,
 * because workers wake in any order and it does not matter which worker takes which request. */
static void record_fits(struct ledger *l, size_t count)
{
    sort_i64(l->made_ns, count);
    for (size_t i = 0; i < count; i++)
        record_fit(l, l->asked_ns[i], l->made_ns[i]);
}

static void note_arrivals(struct ledger *l, int64_t now_ns)
{
    while (l->arrived < l->expected && entry(l, l->arrived)->arrival_ns <= now_ns) {
        int64_t arrival_ns = entry(l, l->arrived++)->arrival_ns;
        stats_record_arrival(l->plan.stats, phase_of(l, arrival_ns), arrival_ns - l->plan.start_ns);
    }
}

/* Judges the entries that arrived by `until_ns`, in order, up to the first one whose worker has not
 * woken up. If `now_ns` is not 0, such a worker is assumed to wake at `now_ns`. */
static void judge(struct ledger *l, int64_t until_ns, int64_t now_ns)
{
    size_t count = 0;
    for (; l->judged < l->arrived; l->judged++) {
        struct entry *e = entry(l, l->judged);
        if (e->arrival_ns > until_ns)
            break;
        int64_t ready_ns = atomic_load(&e->ready_ns);
        if (ready_ns < 0 && now_ns == 0)
            break;
        l->asked_ns[count] = e->arrival_ns;
        l->made_ns[count] = ready_ns < 0 ? now_ns : ready_ns;
        stats_record_lag(l->plan.stats, phase_of(l, e->arrival_ns),
                         l->made_ns[count++] - e->arrival_ns);
        atomic_store(&e->ready_ns, 0);
    }
    record_fits(l, count);
}

static void settle(struct ledger *l, int64_t now_ns)
{
    note_arrivals(l, now_ns);
    judge(l, min_i64(now_ns - MARKED_NS, l->awake_ns), 0);
}

/* Returns true if there is room for an entry. If the ring is full because a worker does not wake
 * up, that worker is assumed to wake now. */
static bool has_room(struct ledger *l, int64_t now_ns)
{
    if (l->expected - l->judged < l->room)
        return true;
    note_arrivals(l, now_ns);
    judge(l, now_ns, now_ns);
    return l->expected - l->judged < l->room;
}

static struct entry *append(struct ledger *l, int64_t arrival_ns, int64_t ready_ns)
{
    struct entry *e = entry(l, l->expected);
    e->arrival_ns = arrival_ns;
    atomic_store(&e->ready_ns, ready_ns);
    l->expected++;
    return e;
}

/* Appends requests as long as entries before them have not been judged. Returns how many were
 * appended. */
static size_t append_many(struct ledger *l, const struct request *requests, size_t count,
                          int64_t now_ns)
{
    size_t n = 0;
    while (n < count && l->judged < l->expected && has_room(l, now_ns))
        append(l, requests[n++].arrival_ns, now_ns);
    return n;
}

void ledger_add(struct ledger *l, const struct request *requests, size_t count, int64_t now_ns)
{
    pthread_mutex_lock(&l->lock);
    for (size_t i = append_many(l, requests, count, now_ns); i < count; i++)
        record(l, requests[i].arrival_ns, now_ns);
    pthread_mutex_unlock(&l->lock);
}

void ledger_add_noting_late(struct ledger *l, const struct request *requests, size_t count,
                            int64_t now_ns)
{
    if (count > 0 && now_ns - requests[0].arrival_ns >= NOTED_NS)
        waits_note_late(l->plan.waits, requests[0].arrival_ns, requests[count - 1].arrival_ns,
                        now_ns);
    ledger_add(l, requests, count, now_ns);
}

static void group_drop(struct ledger *l, int64_t arrival_ns)
{
    struct drop_group *last = l->drop_count > 0 ? &l->drops[l->drop_count - 1] : NULL;
    if (last != NULL && arrival_ns - last->first_ns < NS_PER_MS &&
        phase_of(l, last->first_ns) == phase_of(l, arrival_ns)) {
        last->latest_ns = arrival_ns;
        last->count++;
        return;
    }
    if (l->drop_count == l->drop_room) {
        l->drop_room = l->drop_room == 0 ? 64 : 2 * l->drop_room;
        l->drops = xrealloc(l->drops, l->drop_room * sizeof(*l->drops));
    }
    l->drops[l->drop_count++] = (struct drop_group){arrival_ns, arrival_ns, 1};
}

void ledger_drop(struct ledger *l, int64_t arrival_ns, int64_t now_ns)
{
    pthread_mutex_lock(&l->lock);
    /* The queue is full, so all requests before this one have arrived. */
    note_arrivals(l, now_ns);
    judge(l, now_ns, now_ns);
    stats_record_drop(l->plan.stats, phase_of(l, arrival_ns));
    record_fit(l, arrival_ns, now_ns);
    group_drop(l, arrival_ns);
    pthread_mutex_unlock(&l->lock);
}

bool ledger_expect(struct ledger *l, int64_t arrival_ns, struct request *request)
{
    pthread_mutex_lock(&l->lock);
    bool room = l->expected - l->judged < l->room;
    *request = (struct request){arrival_ns, NULL};
    if (room)
        request->ready_ns = &append(l, arrival_ns, arrival_ns)->ready_ns;
    pthread_mutex_unlock(&l->lock);
    return room;
}

void ledger_sleep(struct ledger *l, int64_t until_ns)
{
    pthread_mutex_lock(&l->lock);
    l->awake_ns = until_ns;
    pthread_mutex_unlock(&l->lock);
}

void ledger_wake(struct ledger *l, int64_t absent_ns, int64_t now_ns)
{
    pthread_mutex_lock(&l->lock);
    for (uint64_t n = l->judged; n < l->expected && entry(l, n)->arrival_ns <= now_ns; n++) {
        struct entry *e = entry(l, n);
        int64_t ready_ns = e->arrival_ns;
        if (e->arrival_ns > absent_ns)
            atomic_compare_exchange_strong(&e->ready_ns, &ready_ns, now_ns);
    }
    l->awake_ns = INT64_MAX;
    pthread_mutex_unlock(&l->lock);
}

void ledger_cut(struct ledger *l, int64_t end_ns)
{
    pthread_mutex_lock(&l->lock);
    while (l->expected > l->arrived && entry(l, l->expected - 1)->arrival_ns > end_ns)
        l->expected--;
    pthread_mutex_unlock(&l->lock);
}

size_t ledger_settle(struct ledger *l, int64_t now_ns)
{
    pthread_mutex_lock(&l->lock);
    settle(l, now_ns);
    size_t to_come = l->expected - l->arrived;
    pthread_mutex_unlock(&l->lock);
    return to_come;
}

int64_t ledger_open_lag_ns(struct ledger *l, int64_t now_ns)
{
    int64_t sum_ns = 0;
    pthread_mutex_lock(&l->lock);
    settle(l, now_ns);
    for (uint64_t i = l->judged; i < l->arrived; i++) {
        const struct entry *e = entry(l, i);
        const int64_t ready_ns = atomic_load(&e->ready_ns);
        const bool open =
            ready_ns < 0 || (e->arrival_ns > l->awake_ns && ready_ns == e->arrival_ns);
        sum_ns += (open ? now_ns : ready_ns) - e->arrival_ns;
    }
    pthread_mutex_unlock(&l->lock);
    return sum_ns;
}

void ledger_close(struct ledger *l, int64_t now_ns)
{
    pthread_mutex_lock(&l->lock);
    note_arrivals(l, now_ns);
    judge(l, now_ns, now_ns);
    pthread_mutex_unlock(&l->lock);
}

int64_t ledger_half_ns(struct ledger *l)
{
    pthread_mutex_lock(&l->lock);
    uint64_t to_come = l->expected - l->arrived;
    int64_t half_ns = to_come > 0 ? entry(l, l->arrived + to_come / 2)->arrival_ns : INT64_MAX;
    pthread_mutex_unlock(&l->lock);
    return half_ns;
}

const struct goodness *ledger_goodness(const struct ledger *l)
{
    return &l->goodness;
}

const struct drop_group *ledger_drops(const struct ledger *l, size_t *count)
{
    *count = l->drop_count;
    return l->drops;
}
