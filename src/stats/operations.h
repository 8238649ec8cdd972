/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of the operations that events consist of, if the workload reports them. Operations are
 * grouped into classes (for SQL: kinds of statements). Each class has its count, its times, and the
 * numbers of rows matched and changed. Errors are counted by class, code and state. Part of stats
 * (stats.h), which decides when to record.
 *
 * The number of classes is limited (registry.h). Counters are per thread, and only the owning
 * thread writes them. Times go to histograms that several threads share. Errors are rare, so they
 * are kept in one table that a lock guards. If the table is full, further kinds of errors count in
 * its last entry, "other errors". One thread, the reader, drains.
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

/* Handle with which one thread records. Only this thread may use it. */
struct operations_thread {
    struct operations *shared;
    unsigned thread;
};

struct operations *operations_create(unsigned threads);
void operations_destroy(struct operations *o);
void operations_join(struct operations *o, unsigned thread, struct operations_thread *t);

/* Returns the number of the class with this name, which is created on first use. Names are cut to
 * OPERATION_NAME_BYTES − 1 bytes. The number is valid for the whole run. */
unsigned operations_class(struct operations_thread *t, const char *name, size_t length);
/* Like operations_class(), for classes that are not to be reported: totals have no classes unless
 * operations_class() is called, too. */
unsigned operations_hidden_class(struct operations_thread *t, const char *name, size_t length);
/* Returns the name of a class, which is valid as long as `o`. */
const char *operations_class_name(const struct operations *o, unsigned class);

/*
 * Records an operation that succeeded after `ns` nanoseconds, and the rows it matched and changed.
 */
void operations_record(struct operations_thread *t, unsigned class, int64_t ns, uint64_t matched,
                       uint64_t changed);

/*
 * Records an operation that failed. `class` may be OPERATION_NO_CLASS. Errors with the same class,
 * code and state are counted together; the message of the first one is kept. Returns a number for
 * operations_ignored().
 */
unsigned operations_error(struct operations_thread *t, unsigned class, int code, const char *state,
                          const char *message);
/* Notes that an error was ignored: its event continues or is repeated. */
void operations_ignored(struct operations_thread *t, unsigned error);

/* Sums over one span of time. */
struct operation_class {
    char name[OPERATION_NAME_BYTES];
    uint64_t count, errors, matched, changed;
    struct distribution time;
};

struct operation_error {
    unsigned class; /* class of the operation; OPERATION_NO_CLASS if not known */
    int code;
    char state[6];
    char message[128];
    uint64_t count, ignored;
};

/* Returns true if both errors have the same code and state. Their classes may differ. */
bool operation_error_same(const struct operation_error *a, const struct operation_error *b);

struct operation_totals {
    unsigned classes, errors;
    struct operation_class class[OPERATION_CLASSES]; /* indexed by class number */
    struct operation_error error[OPERATION_ERRORS];
};

struct operation_totals *operation_totals_create(void);
void operation_totals_destroy(struct operation_totals *t);
void operation_totals_reset(struct operation_totals *t);
/* Adds totals of the same process, in which classes and errors have the same numbers. */
void operation_totals_add(struct operation_totals *dst, const struct operation_totals *src);

/* Adds totals of another process, in which numbers may differ: classes are matched by name. */
void operation_totals_merge(struct operation_totals *dst, const struct operation_totals *src);

/* Adds to *out everything recorded since the last call. For the reader only. */
void operations_drain(struct operations *o, struct operation_totals *out);

#endif
