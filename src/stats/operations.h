/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What events are made of, where a workload tells: operations by class (for SQL: kinds of
 * statements), each with its count, its time and what it found and changed; and errors by code.
 * Part of stats, which says when to record.
 *
 * Classes are few (registry.h). Counters are per thread and written by their owner only; times land
 * in histograms that several threads share. Errors, which are rare, stand in one table behind a
 * lock; those that find no room any more count in the last one, "other errors". One thread drains.
 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/distribution.h"
#include "stats/registry.h"

#define OPERATION_CLASSES REGISTRY_NAMES
#define OPERATION_ERRORS 256
#define OPERATION_NAME_BYTES 48
#define OPERATION_NO_CLASS OPERATION_CLASSES

struct operations;

/* A thread's way to them; its owner's alone. */
struct operations_thread {
    struct operations *shared;
    unsigned thread;
};

struct operations *operations_create(unsigned threads);
void operations_destroy(struct operations *o);
void operations_join(struct operations *o, unsigned thread, struct operations_thread *t);

/* The class of that name, cut to OPERATION_NAME_BYTES − 1; made when it is new. The number stays
 * for the whole run. */
unsigned operations_class(struct operations_thread *t, const char *name, size_t length);

/* One that succeeded. */
void operations_record(struct operations_thread *t, unsigned class, int64_t ns, uint64_t matched,
                       uint64_t changed);

/*
 * One that failed; `class` may be OPERATION_NO_CLASS. Errors are told apart by class, code and
 * state; the first message is kept. Returns a number for operations_ignored().
 */
unsigned operations_error(struct operations_thread *t, unsigned class, int code, const char *state,
                          const char *message);
/* The error turned out to be ignored: the event goes on or starts again. */
void operations_ignored(struct operations_thread *t, unsigned error);

/* Sums of one span of time. */
struct operation_class {
    char name[OPERATION_NAME_BYTES];
    uint64_t count, errors, matched, changed;
    struct distribution time;
};

struct operation_error {
    unsigned class; /* OPERATION_NO_CLASS: not told */
    int code;
    char state[6];
    char message[128];
    uint64_t count, ignored;
};

/* The same code and state, in whatever class. */
bool operation_error_same(const struct operation_error *a, const struct operation_error *b);

struct operation_totals {
    unsigned classes, errors;
    struct operation_class class[OPERATION_CLASSES]; /* in the order of their numbers */
    struct operation_error error[OPERATION_ERRORS];
};

struct operation_totals *operation_totals_create(void);
void operation_totals_destroy(struct operation_totals *t);
void operation_totals_reset(struct operation_totals *t);
/* Both of one run: classes and errors have the same numbers. */
void operation_totals_add(struct operation_totals *dst, const struct operation_totals *src);

/* The same of two processes, in which the same names may have other numbers: goes by names. */
void operation_totals_merge(struct operation_totals *dst, const struct operation_totals *src);

/* Adds to *out what was recorded since the last call. */
void operations_drain(struct operations *o, struct operation_totals *out);

#endif
