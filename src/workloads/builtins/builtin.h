/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a built-in test is: a struct of operations, and two structs of its own for its state, that
 * of the test and that of each thread. The engine that executes it is that of scripts.
 */
#ifndef BUILTIN_H
#define BUILTIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/workload.h"
#include "options/options.h"
#include "options/settings.h"
#include "result/summary.h"

struct builtin_ops;

/* One worker's part of a test. */
struct builtin_thread {
    const struct builtin_ops *ops;
    void *test;                           /* shared by all threads */
    void *state;                          /* of this thread; zeroed before thread_start() */
    const struct workload_worker *worker; /* its random numbers and counters */
};

/* Operations return 0, or −1 after a logged message. All may be NULL, but for one of event() and
 * loop(). */
struct builtin_ops {
    const char *name;
    const char *description;
    const struct option_spec *rows; /* the test's own options; their fields are in its state */
    size_t row_count;
    size_t test_bytes, thread_bytes; /* of the states */

    /*
     * First of all, with the options stored in `test`: looks at them together. May change
     * settings->events, and keeps `settings` if it needs them. Lists, which have no field, are read
     * from `options`.
     */
    int (*configure)(void *test, const struct options *options, struct settings *settings);

    /* Commands; NULL: the test does not implement it. */
    int (*prepare)(void *test);
    int (*cleanup)(void *test);

    /* Before the run, in the controlling thread: what all threads share. When it fails, end() is
     * called, too. */
    int (*begin)(void *test);
    /* The test's lines in the header of the run. */
    void (*print_mode)(const void *test, FILE *out);

    /* In each worker. When it fails, thread_end() is called, too. */
    int (*thread_start)(struct builtin_thread *thread);
    /* Executes one event: called once for each that worker_next() hands out. */
    int (*event)(struct builtin_thread *thread);
    /* Executes all events of a worker instead, where one after the other is not right. It asks for
     * them itself (worker_api.h, worker.h). */
    int (*loop)(struct builtin_thread *thread);
    /* In each worker, after the run. */
    int (*thread_end)(struct builtin_thread *thread);

    /* After the run, when all threads have ended: checks what can be checked only now, frees what
     * begin() made. */
    int (*end)(void *test);

    /* Figures in the reports: as in struct presentation, with `test` as the argument. */
    void (*interval_figures)(void *test, FILE *out, const struct interval *interval);
    void (*summary_figures)(void *test, FILE *out, const struct summary *summary);
    void (*throughput_figures)(void *test, FILE *out, const struct summary *summary);
};

/* A test that was chosen. */
struct builtin {
    const struct builtin_ops *ops;
    void *test;
};

/* Adds the rows of the test to `set`; of one test only. −1 logged. */
int builtin_add_options(const struct builtin_ops *ops, struct options *set);
/* "NAME options:" and the rows. */
void builtin_print_help(const struct builtin_ops *ops, const struct options *set, FILE *out);

/*
 * Takes the values of its options; `settings` must outlive the test. −1 after a logged message;
 * call builtin_fini() in either case.
 */
int builtin_init(struct builtin *builtin, const struct builtin_ops *ops, const struct options *set,
                 struct settings *settings);
void builtin_fini(struct builtin *builtin);

/* Executes a command other than `run` and `help`. −1 after a logged message, also when the test has
 * no such command. */
int builtin_command(struct builtin *builtin, const char *command);

/* Around a run: begin() and end() of the test. −1 after a logged message; builtin_end() is due in
 * any case. */
int builtin_begin(struct builtin *builtin);
int builtin_end(struct builtin *builtin);

/* Good as long as `builtin` is. */
struct workload builtin_workload(struct builtin *builtin);

#endif
