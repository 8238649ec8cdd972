/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/operations.h"

#include <pthread.h>
#include <string.h>

#include "base/util.h"
#include "measure/counter.h"

/* Threads that share a histogram hardly meet: an operation takes longer than to record it. */
#define ARRAYS 8

/* What the reporter has already drained of one thread and class. */
struct drained {
    uint64_t count, errors, matched, changed, sum_ns;
};

struct operations {
    unsigned threads, arrays;
    atomic_uint classes; /* grows behind `lock`; what it counts is constant */
    char name[OPERATION_CLASSES][OPERATION_NAME_BYTES];
    struct histogram *histogram[OPERATION_CLASSES]; /* `arrays` long */
    _Atomic(struct operation_cell *) *cells;        /* per thread; NULL: nothing recorded yet */
    struct drained **drained;                       /* likewise; the reporter's alone */
    pthread_mutex_t lock;                           /* guards adding classes, and errors */
    unsigned errors;
    struct operation_error error[OPERATION_ERRORS];
};

struct operations *operations_create(unsigned threads)
{
    struct operations *o = xcalloc(1, sizeof(*o));
    o->threads = threads;
    o->arrays = min_u32(threads, ARRAYS);
    o->cells = xcalloc(threads, sizeof(*o->cells));
    o->drained = xcalloc(threads, sizeof(*o->drained));
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void operations_destroy(struct operations *o)
{
    for (unsigned i = 0; i < o->threads; i++) {
        free(o->cells[i]);
        free(o->drained[i]);
    }
    for (unsigned i = 0; i < o->classes; i++)
        histogram_destroy(o->histogram[i], o->arrays);
    pthread_mutex_destroy(&o->lock);
    free(o->cells);
    free(o->drained);
    free(o);
}

void operations_join(struct operations *o, unsigned thread, struct operations_thread *t)
{
    *t = (struct operations_thread){.shared = o, .thread = thread};
}

/* The class of that name among the first `count`, or `count`. */
static unsigned find_class(const struct operations *o, unsigned count, const char *name)
{
    unsigned i = 0;
    while (i < count && strcmp(o->name[i], name) != 0)
        i++;
    return i;
}

/* Under the lock. */
static unsigned add_class(struct operations *o, const char *name)
{
    unsigned count = o->classes;
    unsigned i = find_class(o, count, name);
    if (i < count || count == OPERATION_CLASSES)
        return min_u32(i, OPERATION_CLASSES - 1);
    strcpy(o->name[i], i == OPERATION_CLASSES - 1 ? "other" : name);
    o->histogram[i] = histogram_create(o->arrays);
    atomic_store_explicit(&o->classes, count + 1, memory_order_release);
    return i;
}

unsigned operations_class(struct operations_thread *t, const char *name, size_t length)
{
    struct operations *o = t->shared;
    char key[OPERATION_NAME_BYTES];
    snprintf(key, sizeof(key), "%.*s", (int)min_u32((uint32_t)length, sizeof(key)), name);

    unsigned count = atomic_load_explicit(&o->classes, memory_order_acquire);
    unsigned i = find_class(o, count, key);
    if (i < count)
        return i;
    pthread_mutex_lock(&o->lock);
    i = add_class(o, key);
    pthread_mutex_unlock(&o->lock);
    return i;
}

static struct operation_cell *make_cells(struct operations_thread *t)
{
    t->cells = xcalloc(OPERATION_CLASSES, sizeof(*t->cells));
    for (unsigned i = 0; i < OPERATION_CLASSES; i++)
        counter_extremes_init(&t->cells[i].min_ns, &t->cells[i].max_ns);
    atomic_store_explicit(&t->shared->cells[t->thread], t->cells, memory_order_release);
    return t->cells;
}

static inline struct operation_cell *cell_of(struct operations_thread *t, unsigned class)
{
    return &(LIKELY(t->cells != NULL) ? t->cells : make_cells(t))[class];
}

void operations_record(struct operations_thread *t, unsigned class, int64_t ns, uint64_t matched,
                       uint64_t changed)
{
    struct operation_cell *cell = cell_of(t, class);
    counter_add(&cell->count, 1);
    counter_add(&cell->matched, matched);
    counter_add(&cell->changed, changed);
    counter_add(&cell->sum_ns, (uint64_t)ns);
    counter_extremes(&cell->min_ns, &cell->max_ns, ns);
    histogram_record(&t->shared->histogram[class][t->thread % t->shared->arrays], ns);
}

/* Under the lock. */
static unsigned find_error(struct operations *o, unsigned class, int code, const char *state)
{
    unsigned i = 0;
    while (i < o->errors && (o->error[i].class != class || o->error[i].code != code ||
                             strcmp(o->error[i].state, state) != 0))
        i++;
    return min_u32(i, OPERATION_ERRORS - 1);
}

static void describe_error(struct operation_error *error, bool last, unsigned class, int code,
                           const char *state, const char *message)
{
    *error = (struct operation_error){.class = last ? OPERATION_NO_CLASS : class,
                                      .code = last ? 0 : code};
    snprintf(error->state, sizeof(error->state), "%s", last ? "" : state);
    snprintf(error->message, sizeof(error->message), "%s", last ? "other errors" : message);
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
        describe_error(&o->error[i], i == OPERATION_ERRORS - 1, class, code, state, message);
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

/* Totals. */

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

void operation_totals_add(struct operation_totals *dst, const struct operation_totals *src)
{
    for (unsigned i = 0; i < src->classes; i++) {
        const struct operation_class *from = &src->class[i];
        struct operation_class *to = class_of(dst, i, from->name);
        to->count += from->count;
        to->errors += from->errors;
        to->matched += from->matched;
        to->changed += from->changed;
        distribution_add(&to->time, &from->time);
    }
    for (unsigned i = 0; i < src->errors; i++) {
        struct operation_error *to = error_of(dst, i, &src->error[i]);
        to->count += src->error[i].count;
        to->ignored += src->error[i].ignored;
    }
}

static void drain_cell(struct operation_cell *cell, struct drained *seen,
                       struct operation_class *out)
{
    out->count += counter_growth(&cell->count, &seen->count);
    out->errors += counter_growth(&cell->errors, &seen->errors);
    out->matched += counter_growth(&cell->matched, &seen->matched);
    out->changed += counter_growth(&cell->changed, &seen->changed);
    out->time.sum_ns += counter_growth(&cell->sum_ns, &seen->sum_ns);
    distribution_take_extremes(&out->time, &cell->min_ns, &cell->max_ns);
}

static void drain_thread(struct operations *o, unsigned thread, unsigned classes,
                         struct operation_totals *out)
{
    struct operation_cell *cells = atomic_load_explicit(&o->cells[thread], memory_order_acquire);
    if (cells == NULL)
        return;
    if (o->drained[thread] == NULL)
        o->drained[thread] = xcalloc(OPERATION_CLASSES, sizeof(**o->drained));
    for (unsigned i = 0; i < classes; i++)
        drain_cell(&cells[i], &o->drained[thread][i], &out->class[i]);
}

static void drain_histograms(struct operations *o, unsigned class, struct distribution *d)
{
    for (unsigned i = 0; i < o->arrays; i++)
        distribution_drain(d, &o->histogram[class][i]);
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
    unsigned classes = atomic_load_explicit(&o->classes, memory_order_acquire);
    for (unsigned i = 0; i < classes; i++)
        class_of(out, i, o->name[i]);
    for (unsigned i = 0; i < o->threads; i++)
        drain_thread(o, i, classes, out);
    for (unsigned i = 0; i < classes; i++)
        drain_histograms(o, i, &out->class[i].time);
    drain_errors(o, out);
}
