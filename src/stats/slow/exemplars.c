/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/slow/exemplars.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rand_stream.h"
#include "base/sequence_lock.h"
#include "base/util.h"
#include "stats/counter.h"

#define KEPT_PER_SPAN (1 + EXEMPLARS_DRAWN)

/* Access to the members of struct steps, whose lock orders the accesses. */
#define LOAD(member) atomic_load_explicit(member, memory_order_relaxed)
#define STORE(member, value) atomic_store_explicit(member, value, memory_order_relaxed)

/* A step that may be read while the worker changes it: see struct exemplar_step. */
struct shared_step {
    _Atomic int64_t start_ns, duration_ns;
    _Atomic uint64_t rows;
    _Atomic int code;
    _Atomic uint16_t class, target;
    _Atomic uint64_t state; /* the bytes of the text; without meaning if `failed` is not set */
    _Atomic bool failed;
};

/* The steps of the request in service of a worker, which records them. They are not in order: if
 * there is no room, a step takes the place of the shortest one. */
struct steps {
    /* For the members up to `step`, except `open`. */
    _Alignas(CACHE_ALIGN) struct sequence_lock lock;
    _Atomic int64_t request_ns; /* start of the request that the steps belong to; 0 if none */
    _Atomic unsigned retries, count, left_out;
    struct shared_step *open; /* the step that has begun and has not ended, or NULL; for the worker
                                 only, and in the cache line that each step uses anyway */
    struct shared_step step[EXEMPLAR_STEPS];
    struct rand_stream stream; /* for exemplars_wants() only */
};

/* The requests of a span that are kept. `slowest` comes first, the others are drawn; end_ns is 0 if
 * an entry is empty. The limits are what a request has to go beyond to be kept; they are read
 * without the lock. */
struct span {
    _Atomic int64_t slowest_ns;
    _Atomic double limit;
    double number[KEPT_PER_SPAN]; /* that the request has drawn */
    struct exemplar kept[KEPT_PER_SPAN];
};

struct exemplars {
    unsigned workers;
    struct steps *steps;
    int64_t start_ns;
    exemplars_serving *serving;
    void *serving_arg;

    pthread_mutex_t lock; /* guards everything below; atomic members are also read without it */
    _Atomic int64_t span_ns;
    struct span *span;
    unsigned limit, count;
    _Atomic int64_t limit_ns;           /* response time of the fastest one of `slowest` if the
                                           list is full; −1 if it is not full */
    int64_t response_ns[EXEMPLARS_MAX]; /* of the entries of `slowest` */
    struct exemplar *slowest;
};

static void clear_span(struct span *span)
{
    atomic_store_explicit(&span->slowest_ns, -1, memory_order_relaxed);
    atomic_store_explicit(&span->limit, 1, memory_order_relaxed);
    for (unsigned i = 0; i < KEPT_PER_SPAN; i++) {
        span->number[i] = 1;
        span->kept[i].end_ns = 0;
    }
}

struct exemplars *exemplars_create(unsigned workers, unsigned limit, int64_t span_ns, uint64_t seed)
{
    struct exemplars *ex = xcalloc(1, sizeof(*ex));
    ex->workers = workers;
    ex->steps = counter_calloc(workers * sizeof(*ex->steps));
    ex->limit = limit;
    ex->limit_ns = -1;
    ex->slowest = xcalloc(limit, sizeof(*ex->slowest));
    ex->span_ns = span_ns;
    ex->span = xcalloc(EXEMPLAR_SPANS, sizeof(*ex->span));
    pthread_mutex_init(&ex->lock, NULL);
    for (unsigned i = 0; i < EXEMPLAR_SPANS; i++)
        clear_span(&ex->span[i]);
    for (unsigned i = 0; i < workers; i++)
        rand_stream_init(&ex->steps[i].stream, seed, RAND_EXEMPLAR, i);
    return ex;
}

void exemplars_destroy(struct exemplars *ex)
{
    if (ex == NULL)
        return;
    pthread_mutex_destroy(&ex->lock);
    free(ex->span);
    free(ex->slowest);
    free(ex->steps);
    free(ex);
}

void exemplars_begin(struct exemplars *ex, int64_t start_ns, exemplars_serving *serving, void *arg)
{
    ex->start_ns = start_ns;
    ex->serving = serving;
    ex->serving_arg = arg;
}

/* Steps. */

/* Begins a change of the steps of the request that the worker serves, and returns them. Returns
 * NULL if the worker serves none. */
static struct steps *begin_change(struct exemplars *ex, unsigned worker)
{
    int64_t arrival_ns, start_ns;
    if (worker >= ex->workers || ex->serving == NULL ||
        !ex->serving(ex->serving_arg, worker, &arrival_ns, &start_ns))
        return NULL;
    struct steps *steps = &ex->steps[worker];
    sequence_lock_begin(&steps->lock);
    if (LOAD(&steps->request_ns) != start_ns) {
        STORE(&steps->request_ns, start_ns);
        STORE(&steps->retries, 0);
        STORE(&steps->count, 0);
        STORE(&steps->left_out, 0);
        steps->open = NULL;
    }
    return steps;
}

/* Returns a place for a new step: a free one, or that of the shortest step. */
static struct shared_step *find_place(struct steps *steps)
{
    const unsigned count = LOAD(&steps->count);
    struct shared_step *shortest = &steps->step[0];
    if (count < EXEMPLAR_STEPS) {
        STORE(&steps->count, count + 1);
        return &steps->step[count];
    }
    for (unsigned i = 1; i < EXEMPLAR_STEPS; i++)
        if (LOAD(&steps->step[i].duration_ns) < LOAD(&shortest->duration_ns))
            shortest = &steps->step[i];
    STORE(&steps->left_out, LOAD(&steps->left_out) + 1);
    return shortest;
}

void exemplars_begin_step(struct exemplars *ex, unsigned worker, unsigned class, unsigned target,
                          int64_t now_ns)
{
    struct steps *steps = begin_change(ex, worker);
    if (steps == NULL)
        return;
    if (steps->open == NULL)
        steps->open = find_place(steps);
    STORE(&steps->open->start_ns, now_ns);
    STORE(&steps->open->duration_ns, -1);
    STORE(&steps->open->rows, 0);
    STORE(&steps->open->code, 0);
    STORE(&steps->open->class, (uint16_t) class);
    STORE(&steps->open->target, (uint16_t)target);
    STORE(&steps->open->failed, false);
    sequence_lock_end(&steps->lock);
}

static void store_state(struct shared_step *step, const char *state)
{
    char text[sizeof(uint64_t)] = "";
    uint64_t bytes;
    memcpy(text, state, strnlen(state, EXEMPLAR_STATE_BYTES - 1));
    memcpy(&bytes, text, sizeof(bytes));
    STORE(&step->state, bytes);
    STORE(&step->failed, true);
}

void exemplars_end_step(struct exemplars *ex, unsigned worker, int64_t now_ns, uint64_t rows,
                        int code, const char *state)
{
    struct steps *steps = worker < ex->workers ? &ex->steps[worker] : NULL;
    if (steps == NULL || steps->open == NULL)
        return;
    sequence_lock_begin(&steps->lock);
    STORE(&steps->open->duration_ns, now_ns - LOAD(&steps->open->start_ns));
    STORE(&steps->open->rows, rows);
    STORE(&steps->open->code, code);
    if (state != NULL)
        store_state(steps->open, state);
    sequence_lock_end(&steps->lock);
    steps->open = NULL;
}

void exemplars_retry(struct exemplars *ex, unsigned worker)
{
    struct steps *steps = begin_change(ex, worker);
    if (steps == NULL)
        return;
    STORE(&steps->retries, LOAD(&steps->retries) + 1);
    sequence_lock_end(&steps->lock);
}

static struct exemplar_step read_step(const struct shared_step *from)
{
    struct exemplar_step step = {.start_ns = LOAD(&from->start_ns),
                                 .duration_ns = LOAD(&from->duration_ns),
                                 .rows = LOAD(&from->rows),
                                 .code = LOAD(&from->code),
                                 .class = LOAD(&from->class),
                                 .target = LOAD(&from->target),
                                 .failed = LOAD(&from->failed)};
    const uint64_t state = LOAD(&from->state);
    if (step.failed)
        memcpy(step.state, &state, sizeof(step.state));
    return step;
}

/* Copies the steps if they belong to this request. */
static void read_steps(const struct steps *steps, struct exemplar *e)
{
    e->steps = e->left_out = e->retries = 0;
    if (LOAD(&steps->request_ns) != e->start_ns)
        return;
    e->retries = LOAD(&steps->retries);
    e->left_out = LOAD(&steps->left_out);
    e->steps = LOAD(&steps->count);
    for (unsigned i = 0; i < e->steps; i++)
        e->step[i] = read_step(&steps->step[i]);
}

static int by_start(const void *a, const void *b)
{
    const struct exemplar_step *left = a, *right = b;
    return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

/* Usually the worker itself calls this. At the end of the run, another thread does for requests
 * that are in service. This thread yields the processor until the worker has ended its change. */
static void copy_steps(struct exemplars *ex, struct exemplar *e)
{
    struct steps *steps = &ex->steps[e->worker];
    for (;;) {
        const uint64_t number = sequence_lock_number(&steps->lock);
        read_steps(steps, e);
        if (number % 2 == 0 && sequence_lock_number(&steps->lock) == number)
            break;
        sched_yield();
    }
    qsort(e->step, e->steps, sizeof(e->step[0]), by_start);
}

/* Requests. */

static int64_t response_of(const struct exemplar *e)
{
    return e->end_ns - e->arrival_ns;
}

static int64_t span_at(const struct exemplars *ex, int64_t span_ns, int64_t end_ns)
{
    return max_i64(0, end_ns - ex->start_ns) / span_ns;
}

/* If spans were merged while the limits were read, the limits may be those of another span. */
bool exemplars_wants(struct exemplars *ex, unsigned worker, int64_t end_ns, int64_t response_ns,
                     double *number)
{
    if (worker >= ex->workers)
        return false;
    *number = rand_stream_double(&ex->steps[worker].stream);
    const int64_t span_ns = atomic_load_explicit(&ex->span_ns, memory_order_acquire);
    const int64_t at = span_at(ex, span_ns, end_ns);
    if (at >= EXEMPLAR_SPANS ||
        response_ns > atomic_load_explicit(&ex->limit_ns, memory_order_relaxed))
        return true;
    const struct span *span = &ex->span[at];
    if (*number < atomic_load_explicit(&span->limit, memory_order_acquire) ||
        response_ns > atomic_load_explicit(&span->slowest_ns, memory_order_acquire))
        return true;
    return atomic_load_explicit(&ex->span_ns, memory_order_relaxed) != span_ns;
}

static void offer_slowest(struct span *span, const struct exemplar *e)
{
    if (response_of(e) <= span->slowest_ns)
        return;
    span->kept[0] = *e;
    atomic_store_explicit(&span->slowest_ns, response_of(e), memory_order_relaxed);
}

/* Replaces the drawn request with the largest number, if that of `e` is smaller. */
static void offer_drawn(struct span *span, const struct exemplar *e, double number)
{
    unsigned largest = 1;
    for (unsigned i = 2; i < KEPT_PER_SPAN; i++)
        if (span->number[i] > span->number[largest])
            largest = i;
    if (number >= span->number[largest])
        return;
    span->number[largest] = number;
    span->kept[largest] = *e;
    double limit = 0;
    for (unsigned i = 1; i < KEPT_PER_SPAN; i++)
        limit = span->number[i] > limit ? span->number[i] : limit;
    atomic_store_explicit(&span->limit, limit, memory_order_relaxed);
}

/* Moves the requests of a span to another one, as if they had ended there. */
static void move_span(struct span *to, struct span *from)
{
    if (from->kept[0].end_ns != 0)
        offer_slowest(to, &from->kept[0]);
    for (unsigned i = 1; i < KEPT_PER_SPAN; i++)
        if (from->kept[i].end_ns != 0)
            offer_drawn(to, &from->kept[i], from->number[i]);
    clear_span(from);
}

/* Merges neighbours. The length changes first, so that threads that read limits notice. */
static void merge_spans(struct exemplars *ex)
{
    atomic_store(&ex->span_ns, 2 * ex->span_ns);
    for (unsigned i = 1; i < EXEMPLAR_SPANS; i++)
        move_span(&ex->span[i / 2], &ex->span[i]);
}

static void keep_in_span(struct exemplars *ex, const struct exemplar *e, double number)
{
    while (span_at(ex, ex->span_ns, e->end_ns) >= EXEMPLAR_SPANS)
        merge_spans(ex);
    struct span *span = &ex->span[span_at(ex, ex->span_ns, e->end_ns)];
    offer_slowest(span, e);
    offer_drawn(span, e, number);
}

static unsigned fastest_of(const struct exemplars *ex)
{
    unsigned fastest = 0;
    for (unsigned i = 1; i < ex->count; i++)
        if (ex->response_ns[i] < ex->response_ns[fastest])
            fastest = i;
    return fastest;
}

static void keep_if_slow(struct exemplars *ex, const struct exemplar *e)
{
    if (response_of(e) <= ex->limit_ns)
        return;
    const unsigned at = ex->count < ex->limit ? ex->count++ : fastest_of(ex);
    ex->slowest[at] = *e;
    ex->response_ns[at] = response_of(e);
    if (ex->count == ex->limit)
        atomic_store_explicit(&ex->limit_ns, ex->response_ns[fastest_of(ex)], memory_order_relaxed);
}

void exemplars_keep(struct exemplars *ex, struct exemplar *e, double number)
{
    copy_steps(ex, e);
    pthread_mutex_lock(&ex->lock);
    keep_in_span(ex, e, number);
    keep_if_slow(ex, e);
    pthread_mutex_unlock(&ex->lock);
}

/* The result. */

static int by_response(const void *a, const void *b)
{
    const int64_t left = response_of(a), right = response_of(b);
    return (left < right) - (left > right);
}

static bool is_listed(const struct exemplar_list *list, const struct exemplar *e)
{
    for (unsigned i = 0; i < list->slowest + list->others; i++)
        if (list->list[i].worker == e->worker && list->list[i].start_ns == e->start_ns &&
            list->list[i].arrival_ns == e->arrival_ns)
            return true;
    return false;
}

static int by_end(const void *a, const void *b)
{
    const struct exemplar *left = a, *right = b;
    return (left->end_ns > right->end_ns) - (left->end_ns < right->end_ns);
}

struct exemplar_list exemplars_list(struct exemplars *ex)
{
    pthread_mutex_lock(&ex->lock);
    struct exemplar_list all = {
        .span_ns = ex->span_ns,
        .slowest = ex->count,
        .list = xcalloc(ex->limit + EXEMPLAR_SPANS * KEPT_PER_SPAN, sizeof(*all.list))};
    memcpy(all.list, ex->slowest, ex->count * sizeof(*all.list));
    for (unsigned i = 0; i < EXEMPLAR_SPANS * KEPT_PER_SPAN; i++) {
        const struct exemplar *e = &ex->span[i / KEPT_PER_SPAN].kept[i % KEPT_PER_SPAN];
        if (e->end_ns != 0 && !is_listed(&all, e))
            all.list[all.slowest + all.others++] = *e;
    }
    pthread_mutex_unlock(&ex->lock);
    qsort(all.list, all.slowest, sizeof(*all.list), by_response);
    qsort(all.list + all.slowest, all.others, sizeof(*all.list), by_end);
    return all;
}
