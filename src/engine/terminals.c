/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/terminals.h"

#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/rand_stream.h"
#include "base/thread.h"
#include "base/util.h"

/*
 * Terminals that are not being served are kept in a heap; the one that sends first is at the top.
 * If takers keep their sessions, each taker has a heap of its own for these, and the common heap
 * has the new sessions only. One of the waiting takers leads: it sleeps until the top is due. The
 * others sleep until there is no leader, or until a session that they keep sends. So one taker
 * wakes up for each request, and none in vain.
 */
struct terminal {
    struct rand_stream stream;
    double memo;
};

struct waiting {
    int64_t due_ns;
    unsigned terminal; /* number within this rank */
};

struct heap {
    struct waiting *entry;
    unsigned count, room; /* number of entries, and how many there is room for */
};

struct terminals {
    uint64_t seed;
    unsigned rank, ranks;
    pthread_mutex_t lock;   /* guards all fields below, except the streams of terminals whose
                               request was taken */
    pthread_cond_t earlier; /* signals the leader: the top has changed, or the population is
                               closed */
    pthread_cond_t free;    /* signals the other takers: there is no leader */
    unsigned all, count;    /* number of terminals of the run, of this rank */
    double spread_s;
    bool led, closed;
    int64_t led_until_ns; /* how long the leader sleeps at most; valid while `led` */
    struct terminal *terminal;
    struct user_sessions
        *sessions; /* the users, in place of `terminal`; NULL if they are terminals */
    struct heap heap;
    struct heap *kept; /* heaps of the sessions that each taker keeps (--session-connection=keep):
                          an array of `takers` elements; NULL if any taker may serve a session */
    unsigned takers;
};

struct terminals *terminals_create(uint64_t seed, const struct rank *rank)
{
    struct terminals *t = xcalloc(1, sizeof(*t));
    t->seed = seed;
    t->rank = rank->number;
    t->ranks = rank_is_alone(rank) ? 1 : rank->count;
    pthread_mutex_init(&t->lock, NULL);
    thread_condition_init(&t->earlier);
    thread_condition_init(&t->free);
    return t;
}

struct terminals *terminals_create_sessions(const struct settings *settings)
{
    struct terminals *t = terminals_create(settings->rand.seed, &settings->rank);
    t->sessions = user_sessions_create(settings);
    if (settings->sessions.keep) {
        t->takers = (unsigned)settings->threads;
        t->kept = xcalloc(t->takers, sizeof(*t->kept));
    }
    return t;
}

void terminals_destroy(struct terminals *t)
{
    if (t == NULL)
        return;
    user_sessions_destroy(t->sessions);
    pthread_cond_destroy(&t->free);
    pthread_cond_destroy(&t->earlier);
    pthread_mutex_destroy(&t->lock);
    for (unsigned i = 0; i < t->takers; i++)
        free(t->kept[i].entry);
    free(t->kept);
    free(t->heap.entry);
    free(t->terminal);
    free(t);
}

/* Returns the number of a terminal in the whole run. The ranks take turns in the numbering. */
static unsigned number_of(const struct terminals *t, unsigned local)
{
    return t->rank + local * t->ranks;
}

static unsigned local_of(const struct terminals *t, unsigned terminal)
{
    return (terminal - t->rank) / t->ranks;
}

int terminals_populate(struct terminals *t, unsigned count, double spread_s)
{
    pthread_mutex_lock(&t->lock);
    const bool agrees = t->all == 0 || (t->all == count && t->spread_s == spread_s);
    if (t->all == 0) {
        t->all = count;
        t->spread_s = spread_s;
        t->count = (unsigned)rank_part(count, t->rank, t->ranks);
    }
    pthread_mutex_unlock(&t->lock);
    return agrees ? 0 : -1;
}

unsigned terminals_count(const struct terminals *t)
{
    return t->all;
}

unsigned terminals_local(const struct terminals *t)
{
    return t->count;
}

bool terminals_are_sessions(const struct terminals *t)
{
    return t->sessions != NULL;
}

/* The heap. */

static bool is_before(const struct waiting *a, const struct waiting *b)
{
    return a->due_ns < b->due_ns || (a->due_ns == b->due_ns && a->terminal < b->terminal);
}

static void push(struct heap *heap, struct waiting w)
{
    unsigned i = heap->count++;
    if (i == heap->room) {
        heap->room = 2 * heap->room + 64;
        heap->entry = xrealloc(heap->entry, heap->room * sizeof(*heap->entry));
    }
    for (; i > 0 && is_before(&w, &heap->entry[(i - 1) / 2]); i = (i - 1) / 2)
        heap->entry[i] = heap->entry[(i - 1) / 2];
    heap->entry[i] = w;
}

static struct waiting pop(struct heap *heap)
{
    const struct waiting top = heap->entry[0], last = heap->entry[--heap->count];
    unsigned i = 0, child;
    while ((child = 2 * i + 1) < heap->count) {
        if (child + 1 < heap->count && is_before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!is_before(&heap->entry[child], &last))
            break;
        heap->entry[i] = heap->entry[child];
        i = child;
    }
    heap->entry[i] = last;
    return top;
}

/* Returns when the top sends its request; INT64_MAX if the heap is empty or NULL. */
static int64_t top_ns(const struct heap *heap)
{
    return heap != NULL && heap->count > 0 ? heap->entry[0].due_ns : INT64_MAX;
}

/* Returns the heap of the sessions that a taker keeps, or NULL if takers keep none. */
static struct heap *kept_by(const struct terminals *t, unsigned taker)
{
    return t->kept != NULL ? &t->kept[taker] : NULL;
}

void terminals_begin(struct terminals *t, int64_t start_ns, int64_t measure_ns)
{
    if (t->sessions != NULL) {
        user_sessions_start(t->sessions, start_ns, measure_ns);
        return;
    }
    t->terminal = xcalloc(t->count + 1, sizeof(*t->terminal));
    t->heap.room = t->count + 1;
    t->heap.entry = xcalloc(t->heap.room, sizeof(*t->heap.entry));
    for (unsigned i = 0; i < t->count; i++) {
        struct rand_stream *stream = &t->terminal[i].stream;
        rand_stream_init(stream, t->seed, RAND_TERMINAL, number_of(t, i));
        const double first_s = t->spread_s * rand_stream_double(stream);
        push(&t->heap, (struct waiting){start_ns + seconds_to_ns(first_s), i});
    }
}

/* Begins the sessions that have arrived by `now_ns`. The caller must hold the lock. */
static void admit(struct terminals *t, int64_t now_ns)
{
    int64_t begun_ns;
    while ((begun_ns = user_sessions_next_ns(t->sessions)) <= now_ns)
        push(&t->heap, (struct waiting){begun_ns, user_sessions_begin(t->sessions)});
}

/* Returns when the next request is sent that any taker may serve, or INT64_MAX. The caller must
 * hold the lock. */
static int64_t next_due_ns(const struct terminals *t)
{
    const int64_t due_ns = top_ns(&t->heap);
    return t->sessions != NULL ? min_i64(due_ns, user_sessions_next_ns(t->sessions)) : due_ns;
}

static struct visit visit_of(const struct terminals *t, struct waiting top, unsigned taker)
{
    if (t->sessions != NULL)
        return (struct visit){.sent_ns = top.due_ns,
                              .terminal = top.terminal,
                              .taker = taker,
                              .session = user_sessions_serve(t->sessions, top.terminal)};
    return (struct visit){.sent_ns = top.due_ns,
                          .terminal = number_of(t, top.terminal),
                          .memo = t->terminal[top.terminal].memo};
}

/* Takes the request that was sent first of those that the taker may serve, if it was sent by
 * `now_ns`. Returns false if it was not. The caller must hold the lock. */
static bool take_sent(struct terminals *t, unsigned taker, int64_t now_ns, struct visit *visit)
{
    struct heap *kept = kept_by(t, taker);
    if (t->sessions != NULL)
        admit(t, now_ns);
    struct heap *first = top_ns(kept) < top_ns(&t->heap) ? kept : &t->heap;
    if (first->count == 0 || top_ns(first) > now_ns)
        return false;
    *visit = visit_of(t, pop(first), taker);
    return true;
}

static void sleep_until(struct terminals *t, pthread_cond_t *condition, int64_t until_ns)
{
    if (until_ns == INT64_MAX) {
        pthread_cond_wait(condition, &t->lock);
    } else {
        const struct timespec deadline = clock_timespec(until_ns);
        pthread_cond_timedwait(condition, &t->lock, &deadline);
    }
}

/* Sleeps until the next request is due, or until it is signalled to look again. `kept_ns` is the
 * time of the next request of a session that the taker keeps. The caller must hold the lock. */
static void lead(struct terminals *t, int64_t kept_ns, int64_t end_ns)
{
    t->led = true;
    t->led_until_ns = min_i64(min_i64(end_ns, kept_ns), next_due_ns(t));
    sleep_until(t, &t->earlier, t->led_until_ns);
    t->led = false;
}

static bool is_over(const struct terminals *t)
{
    return t->sessions != NULL && user_sessions_are_over(t->sessions);
}

bool terminals_take(struct terminals *t, unsigned taker, int64_t end_ns, struct visit *visit)
{
    /* Only the taker itself adds to this heap. */
    const struct heap *kept = kept_by(t, taker);
    bool taken = false;
    pthread_mutex_lock(&t->lock);
    for (int64_t now_ns; !t->closed && (now_ns = clock_now_ns()) < end_ns;) {
        taken = take_sent(t, taker, now_ns, visit);
        if (taken || is_over(t))
            break;
        if (t->led)
            sleep_until(t, &t->free, top_ns(kept));
        else
            lead(t, top_ns(kept), end_ns);
    }
    if (!t->led)
        pthread_cond_signal(&t->free);
    pthread_mutex_unlock(&t->lock);
    return taken;
}

double terminals_think_s(struct terminals *t, unsigned terminal, double mean_s)
{
    struct rand_stream *stream = &t->terminal[local_of(t, terminal)].stream;
    return mean_s * fmin(TERMINALS_LONGEST_THINK, rand_stream_exponential(stream));
}

void terminals_return(struct terminals *t, unsigned terminal, int64_t next_ns, double memo)
{
    const unsigned local = local_of(t, terminal);
    pthread_mutex_lock(&t->lock);
    t->terminal[local].memo = memo;
    push(&t->heap, (struct waiting){next_ns, local});
    if (t->led && next_ns < t->led_until_ns)
        pthread_cond_signal(&t->earlier);
    pthread_mutex_unlock(&t->lock);
}

/* Ends the waits of all takers. The caller must hold the lock. */
static void wake_all(struct terminals *t)
{
    pthread_cond_broadcast(&t->earlier);
    pthread_cond_broadcast(&t->free);
}

int64_t terminals_end_request(struct terminals *t, const struct visit *visit, int64_t now_ns)
{
    struct heap *kept = kept_by(t, visit->taker);
    int64_t at_ns;
    pthread_mutex_lock(&t->lock);
    const bool goes_on = user_sessions_end_request(t->sessions, visit->terminal, now_ns, &at_ns);
    if (goes_on)
        push(kept != NULL ? kept : &t->heap, (struct waiting){at_ns, visit->terminal});
    if (is_over(t))
        wake_all(t);
    else if (goes_on && kept == NULL && t->led && at_ns < t->led_until_ns)
        pthread_cond_signal(&t->earlier);
    pthread_mutex_unlock(&t->lock);
    return goes_on ? 0 : at_ns;
}

size_t terminals_sessions_in_progress(struct terminals *t, int64_t now_ns)
{
    pthread_mutex_lock(&t->lock);
    if (!t->closed)
        admit(t, now_ns);
    const size_t count = user_sessions_in_progress(t->sessions);
    pthread_mutex_unlock(&t->lock);
    return count;
}

bool terminals_overflowed(struct terminals *t)
{
    if (t->sessions == NULL)
        return false;
    pthread_mutex_lock(&t->lock);
    const bool overflowed = user_sessions_overflowed(t->sessions);
    pthread_mutex_unlock(&t->lock);
    return overflowed;
}

void terminals_close(struct terminals *t)
{
    pthread_mutex_lock(&t->lock);
    t->closed = true;
    wake_all(t);
    pthread_mutex_unlock(&t->lock);
}

bool terminals_remove(struct terminals *t, int64_t end_ns, struct visit *visit)
{
    pthread_mutex_lock(&t->lock);
    bool any = take_sent(t, 0, end_ns, visit);
    for (unsigned i = 1; i < t->takers && !any; i++)
        any = take_sent(t, i, end_ns, visit);
    pthread_mutex_unlock(&t->lock);
    return any;
}

void terminals_sessions_left(struct terminals *t, int64_t end_ns, struct sessions_left *left)
{
    pthread_mutex_lock(&t->lock);
    admit(t, end_ns);
    user_sessions_list(t->sessions, left);
    pthread_mutex_unlock(&t->lock);
}
