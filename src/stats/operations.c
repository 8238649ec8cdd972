/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/operations.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/util.h"
#include "stats/counter.h"
#include "stats/registry.h"

/* Counters of one thread for one class. They only grow, except for the extremes. */
struct cell {
    _Alignas(CACHE_ALIGN) _Atomic uint64_t count; /* operations that succeeded */
    _Atomic uint64_t errors;
    _Atomic uint64_t matched; /* rows that operations found or returned */
    _Atomic uint64_t changed; /* rows that operations changed */
    _Atomic uint64_t sum_ns;  /* total time of operations that succeeded */
    _Atomic int64_t min_ns, max_ns;
    /* Histogram of the class, in which other threads may record, too. */
    struct histogram *histogram;
    /* Values already drained; used by the reader only. */
    _Alignas(CACHE_ALIGN) struct {
        uint64_t count, errors, matched, changed, sum_ns;
    } seen;
};

struct operations {
    unsigned threads, arrays;
    struct registry classes;
    atomic_bool reported;                           /* totals have the classes */
    struct histogram *histogram[OPERATION_CLASSES]; /* each is an array of `arrays` histograms */
    pthread_mutex_t lock;                           /* guards `errors` and `error` */
    unsigned errors;
    struct operation_error error[OPERATION_ERRORS];
};

static void add_class(void *owner, unsigned class)
{
    struct operations *o = owner;
    o->histogram[class] = histogram_create(o->arrays);
}

static void *make_cell(void *owner, unsigned thread, unsigned class)
{
    const struct operations *o = owner;
    struct cell *cell = counter_calloc(sizeof(*cell));
    counter_extremes_init(&cell->min_ns, &cell->max_ns);
    cell->histogram = &o->histogram[class][thread % o->arrays];
    return cell;
}

static const struct registry_ops registry_ops = {OPERATION_NAME_BYTES, add_class, make_cell};

struct operations *operations_create(unsigned threads)
{
    struct operations *o = xcalloc(1, sizeof(*o));
    o->threads = threads;
    o->arrays = min_u32(threads, REGISTRY_ARRAYS);
    registry_init(&o->classes, &registry_ops, o, threads);
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void operations_destroy(struct operations *o)
{
    for (unsigned i = 0; i < registry_count(&o->classes); i++)
        histogram_destroy(o->histogram[i], o->arrays);
    registry_fini(&o->classes);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

void operations_join(struct operations *o, unsigned thread, struct operations_thread *t)
{
    *t = (struct operations_thread){.shared = o, .thread = thread};
}

unsigned operations_class(struct operations_thread *t, const char *name, size_t length)
{
    if (UNLIKELY(!atomic_load_explicit(&t->shared->reported, memory_order_relaxed)))
        atomic_store(&t->shared->reported, true);
    return operations_hidden_class(t, name, length);
}

unsigned operations_hidden_class(struct operations_thread *t, const char *name, size_t length)
{
    return registry_find(&t->shared->classes, name, length);
}

const char *operations_class_name(const struct operations *o, unsigned class)
{
    return registry_name(&o->classes, class);
}

static inline struct cell *cell_of(struct operations_thread *t, unsigned class)
{
    return registry_cell(&t->shared->classes, t->thread, class);
}

void operations_record(struct operations_thread *t, unsigned class, int64_t ns, uint64_t matched,
                       uint64_t changed)
{
    struct cell *cell = cell_of(t, class);
    counter_add(&cell->count, 1);
    counter_add(&cell->matched, matched);
    counter_add(&cell->changed, changed);
    counter_add(&cell->sum_ns, (uint64_t)ns);
    counter_extremes(&cell->min_ns, &cell->max_ns, ns);
    histogram_record(cell->histogram, ns);
}

/*
 * Returns the index of a known error, or the next index for a new one. Call it with the lock held.
 */
static unsigned find_error(struct operations *o, unsigned class, int code, const char *state)
{
    unsigned i = 0;
    while (i < o->errors && (o->error[i].class != class || o->error[i].code != code ||
                             strcmp(o->error[i].state, state) != 0))
        i++;
    return min_u32(i, OPERATION_ERRORS - 1);
}

static void describe_other_errors(struct operation_error *error)
{
    *error = (struct operation_error){.class = OPERATION_NO_CLASS, .message = "other errors"};
}

static void describe_error(struct operation_error *error, unsigned class, int code,
                           const char *state, const char *message)
{
    *error = (struct operation_error){.class = class, .code = code};
    snprintf(error->state, sizeof(error->state), "%s", state);
    snprintf(error->message, sizeof(error->message), "%s", message);
    error->message[strcspn(error->message, "\n")] = '\0';
}

unsigned operations_error(struct operations_thread *t, unsigned class, int code, const char *state,
                          const char *message)
{
    struct operations *o = t->shared;
    if (class != OPERATION_NO_CLASS)
        counter_add(&cell_of(t, class)->errors, 1);
    pthread_mutex_lock(&o->lock);
    unsigned i = find_error(o, class, code, state);
    if (i == o->errors) {
        o->errors++;
        if (i < OPERATION_ERRORS - 1)
            describe_error(&o->error[i], class, code, state, message);
        else
            describe_other_errors(&o->error[i]);
    }
    o->error[i].count++;
    pthread_mutex_unlock(&o->lock);
    return i;
}

void operations_ignored(struct operations_thread *t, unsigned error)
{
    pthread_mutex_lock(&t->shared->lock);
    t->shared->error[error].ignored++;
    pthread_mutex_unlock(&t->shared->lock);
}

/* Totals of a span of time. */

bool operation_error_same(const struct operation_error *a, const struct operation_error *b)
{
    return a->code == b->code && strcmp(a->state, b->state) == 0;
}

struct operation_totals *operation_totals_create(void)
{
    return xcalloc(1, sizeof(struct operation_totals));
}

void operation_totals_destroy(struct operation_totals *t)
{
    for (unsigned i = 0; t != NULL && i < t->classes; i++)
        distribution_fini(&t->class[i].time);
    free(t);
}

void operation_totals_reset(struct operation_totals *t)
{
    for (unsigned i = 0; i < t->classes; i++) {
        struct operation_class *c = &t->class[i];
        c->count = c->errors = c->matched = c->changed = 0;
        distribution_reset(&c->time);
    }
    for (unsigned i = 0; i < t->errors; i++)
        t->error[i].count = t->error[i].ignored = 0;
}

static struct operation_class *class_of(struct operation_totals *t, unsigned class,
                                        const char *name)
{
    struct operation_class *c = &t->class[class];
    if (class == t->classes) {
        strcpy(c->name, name);
        distribution_init(&c->time);
        t->classes++;
    }
    return c;
}

static struct operation_error *error_of(struct operation_totals *t, unsigned error,
                                        const struct operation_error *like)
{
    struct operation_error *e = &t->error[error];
    if (error == t->errors) {
        *e = *like;
        e->count = e->ignored = 0;
        t->errors++;
    }
    return e;
}

static void add_class_total(struct operation_class *to, const struct operation_class *from)
{
    to->count += from->count;
    to->errors += from->errors;
    to->matched += from->matched;
    to->changed += from->changed;
    distribution_add(&to->time, &from->time);
}

static unsigned merge_class(struct operation_totals *dst, const struct operation_class *from)
{
    const char *name = from->name;
    const unsigned number =
        registry_merge(dst->class[0].name, sizeof(dst->class[0]), dst->classes, &name);
    add_class_total(class_of(dst, number, name), from);
    return number;
}

static unsigned error_like(const struct operation_totals *t, const struct operation_error *like)
{
    unsigned i = 0;
    while (i < t->errors &&
           (t->error[i].class != like->class || !operation_error_same(&t->error[i], like)))
        i++;
    return i;
}

/* Adds an error whose class is a class number of `dst`. If only one entry is left, all kinds of
 * errors that are new share it. */
static void merge_error(struct operation_totals *dst, const struct operation_error *from)
{
    struct operation_error like = *from;
    unsigned number = error_like(dst, &like);
    if (number == dst->errors && number >= OPERATION_ERRORS - 1) {
        describe_other_errors(&like);
        number = min_u32(error_like(dst, &like), OPERATION_ERRORS - 1);
    }
    struct operation_error *to = error_of(dst, number, &like);
    to->count += from->count;
    to->ignored += from->ignored;
}

void operation_totals_merge(struct operation_totals *dst, const struct operation_totals *src)
{
    unsigned number[OPERATION_CLASSES + 1];
    number[OPERATION_NO_CLASS] = OPERATION_NO_CLASS;
    for (unsigned i = 0; i < src->classes; i++)
        number[i] = merge_class(dst, &src->class[i]);
    for (unsigned i = 0; i < src->errors; i++) {
        struct operation_error error = src->error[i];
        error.class = number[error.class];
        merge_error(dst, &error);
    }
}

void operation_totals_add(struct operation_totals *dst, const struct operation_totals *src)
{
    for (unsigned i = 0; i < src->classes; i++)
        add_class_total(class_of(dst, i, src->class[i].name), &src->class[i]);
    for (unsigned i = 0; i < src->errors; i++) {
        struct operation_error *to = error_of(dst, i, &src->error[i]);
        to->count += src->error[i].count;
        to->ignored += src->error[i].ignored;
    }
}

static void drain_cell(struct cell *cell, struct operation_class *out)
{
    out->count += counter_growth(&cell->count, &cell->seen.count);
    out->errors += counter_growth(&cell->errors, &cell->seen.errors);
    out->matched += counter_growth(&cell->matched, &cell->seen.matched);
    out->changed += counter_growth(&cell->changed, &cell->seen.changed);
    out->time.sum_ns += counter_growth(&cell->sum_ns, &cell->seen.sum_ns);
    distribution_take_extremes(&out->time, &cell->min_ns, &cell->max_ns);
}

static void drain_class(struct operations *o, unsigned class, struct operation_class *out)
{
    for (unsigned i = 0; i < o->threads; i++) {
        struct cell *cell = registry_peek(&o->classes, i, class);
        if (cell != NULL)
            drain_cell(cell, out);
    }
    for (unsigned i = 0; i < o->arrays; i++)
        distribution_drain(&out->time, &o->histogram[class][i]);
}

static void drain_errors(struct operations *o, struct operation_totals *out)
{
    pthread_mutex_lock(&o->lock);
    for (unsigned i = 0; i < o->errors; i++) {
        struct operation_error *from = &o->error[i], *to = error_of(out, i, from);
        to->count += from->count;
        to->ignored += from->ignored;
        from->count = from->ignored = 0;
    }
    pthread_mutex_unlock(&o->lock);
}

void operations_drain(struct operations *o, struct operation_totals *out)
{
    /* Errors first: the class of an error was added before the error, so the classes that are
     * counted afterwards include it. */
    drain_errors(o, out);
    const unsigned classes = atomic_load(&o->reported) ? registry_count(&o->classes) : 0;
    for (unsigned i = 0; i < classes; i++)
        drain_class(o, i, class_of(out, i, registry_name(&o->classes, i)));
}
