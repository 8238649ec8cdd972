/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/spans.h"

#include <pthread.h>

#include "stats/histogram.h"
#include "stats/stats_part.h"

enum outcome { COMPLETED, FAILED, OUTCOMES };

/* Exact sum and extremes of the times in a histogram. Several threads may record there, so extremes
 * are changed by compare-and-swap. */
struct sums {
    _Alignas(CACHE_ALIGN) _Atomic uint64_t sum_ns;
    _Atomic int64_t min_ns, max_ns;
};

struct span {
    int64_t from_ns;
    struct histogram *histogram[OUTCOMES]; /* each is an array of `arrays` histograms */
    struct sums *sums[OUTCOMES];           /* exact sums of each of these histograms */
    struct distribution total;             /* everything that spans_settle() has collected */
};

struct spans {
    unsigned arrays;
    pthread_mutex_t lock; /* held while a cut is made */
    atomic_uint count;    /* number of spans; a span is initialized before it is counted */
    struct span span[SPANS_MAX];
};

static void span_init(struct span *span, unsigned arrays, int64_t from_ns)
{
    span->from_ns = from_ns;
    for (unsigned o = 0; o < OUTCOMES; o++) {
        span->histogram[o] = histogram_create(arrays);
        span->sums[o] = counter_calloc(arrays * sizeof(struct sums));
        for (unsigned i = 0; i < arrays; i++)
            counter_extremes_init(&span->sums[o][i].min_ns, &span->sums[o][i].max_ns);
    }
    distribution_init(&span->total);
}

static void span_fini(struct span *span, unsigned arrays)
{
    for (unsigned o = 0; o < OUTCOMES; o++) {
        histogram_destroy(span->histogram[o], arrays);
        free(span->sums[o]);
    }
    distribution_fini(&span->total);
}

struct spans *spans_create(unsigned threads, int64_t from_ns)
{
    struct spans *spans = xcalloc(1, sizeof(*spans));
    spans->arrays = min_u32(threads, STATS_ARRAYS);
    pthread_mutex_init(&spans->lock, NULL);
    span_init(&spans->span[0], spans->arrays, from_ns);
    atomic_init(&spans->count, 1);
    return spans;
}

void spans_destroy(struct spans *spans)
{
    if (spans == NULL)
        return;
    for (unsigned i = 0; i < spans_count(spans); i++)
        span_fini(&spans->span[i], spans->arrays);
    pthread_mutex_destroy(&spans->lock);
    free(spans);
}

unsigned spans_count(const struct spans *spans)
{
    return atomic_load_explicit(&spans->count, memory_order_acquire);
}

int64_t spans_from_ns(const struct spans *spans, unsigned number)
{
    return spans->span[number].from_ns;
}

unsigned spans_cut(struct spans *spans, int64_t from_ns)
{
    pthread_mutex_lock(&spans->lock);
    unsigned number = spans_count(spans);
    if (number < SPANS_MAX) {
        from_ns = max_i64(from_ns, spans->span[number - 1].from_ns);
        span_init(&spans->span[number], spans->arrays, from_ns);
        atomic_store_explicit(&spans->count, number + 1, memory_order_release);
    } else {
        number--;
    }
    pthread_mutex_unlock(&spans->lock);
    return number;
}

/* Returns NULL if the request arrived before the first span. The search begins with the latest
 * span, where most requests belong. */
static struct span *span_at(struct spans *spans, int64_t arrival_ns)
{
    unsigned i = spans_count(spans);
    while (i > 0 && arrival_ns < spans->span[i - 1].from_ns)
        i--;
    return i > 0 ? &spans->span[i - 1] : NULL;
}

static void move_extremes(struct sums *sums, int64_t value_ns)
{
    int64_t seen = atomic_load_explicit(&sums->min_ns, memory_order_relaxed);
    while (value_ns < seen && !atomic_compare_exchange_weak(&sums->min_ns, &seen, value_ns))
        ;
    seen = atomic_load_explicit(&sums->max_ns, memory_order_relaxed);
    while (value_ns > seen && !atomic_compare_exchange_weak(&sums->max_ns, &seen, value_ns))
        ;
}

static void record(struct spans *spans, unsigned thread, enum outcome outcome, int64_t arrival_ns,
                   int64_t ns)
{
    struct span *span = span_at(spans, arrival_ns);
    if (span == NULL)
        return;
    struct sums *sums = &span->sums[outcome][thread % STATS_ARRAYS];
    histogram_record(&span->histogram[outcome][thread % STATS_ARRAYS], ns);
    atomic_fetch_add_explicit(&sums->sum_ns, (uint64_t)ns, memory_order_relaxed);
    move_extremes(sums, ns);
}

void spans_record(struct spans *spans, unsigned thread, int64_t arrival_ns, int64_t response_ns)
{
    record(spans, thread, COMPLETED, arrival_ns, response_ns);
}

void spans_record_failure(struct spans *spans, unsigned thread, int64_t arrival_ns,
                          int64_t response_ns)
{
    record(spans, thread, FAILED, arrival_ns, response_ns);
}

static void drain(struct span *span, enum outcome outcome, unsigned arrays, struct distribution *to)
{
    for (unsigned i = 0; i < arrays; i++) {
        struct sums *sums = &span->sums[outcome][i];
        distribution_drain(to, &span->histogram[outcome][i]);
        to->sum_ns += atomic_exchange(&sums->sum_ns, 0);
        distribution_take_extremes(to, &sums->min_ns, &sums->max_ns);
    }
}

void spans_settle(struct spans *spans)
{
    struct distribution failed;
    distribution_init(&failed);
    for (unsigned i = 0; i < spans_count(spans); i++) {
        struct span *span = &spans->span[i];
        drain(span, COMPLETED, spans->arrays, &span->total);
        distribution_reset(&failed);
        drain(span, FAILED, spans->arrays, &failed);
        distribution_censor_all(&span->total, &failed);
    }
    distribution_fini(&failed);
}

void spans_censor(struct spans *spans, int64_t arrival_ns, int64_t lower_bound_ns, uint64_t count)
{
    struct span *span = span_at(spans, arrival_ns);
    if (span != NULL)
        distribution_censor_many(&span->total, lower_bound_ns, count);
}

void spans_add_to(const struct spans *spans, unsigned first, unsigned end, struct distribution *to)
{
    for (unsigned i = first; i < end; i++)
        distribution_add(to, &spans->span[i].total);
}
