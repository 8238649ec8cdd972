/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A built-in test is a table of operations (struct builtin_ops) with two structs for its state: one
 * for the whole test, one for each thread. Built-in tests run on the same engine as scripts. */
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

/* The part of a test that belongs to one worker. */
struct builtin_thread {
    const struct builtin_ops *ops;
    void *test;                           /* state of the test, shared by all threads */
    void *state;                          /* state of this thread, zeroed before thread_start() */
    const struct workload_worker *worker; /* random numbers and counters of the worker */
};

/* Operations return 0, or −1 after logging a message. All may be NULL, except that one of event()
 * and loop() is required. */
struct builtin_ops {
    const char *name;
    const char *description;
    const struct option_spec *rows; /* options of the test; their fields are members of its state */
    size_t row_count;
    size_t test_bytes, thread_bytes; /* sizes of the two states */

    /*
     * Called first, after the options were stored in `test`: checks options that depend on each
     * other. May change settings->events, and may keep the pointer `settings`. Options that are
     * lists have no field and are read from `options`.
     */
    int (*configure)(void *test, const struct options *options, struct settings *settings);

    /* Commands; NULL if the test does not have the command. */
    int (*prepare)(void *test);
    int (*cleanup)(void *test);

    /* Before the run, in the controlling thread: sets up what all threads share. end() is called
     * even if begin() fails. */
    int (*begin)(void *test);
    /* Prints the lines of the test in the header of the run. */
    void (*print_mode)(const void *test, FILE *out);

    /* In each worker, before the run. thread_end() is called even if thread_start() fails. */
    int (*thread_start)(struct builtin_thread *thread);
    /* Executes one event. Called once for each event that worker_next() returns. */
    int (*event)(struct builtin_thread *thread);
    /* Used instead of event() if a worker executes several events at the same time: runs all events
     * of the worker, and requests them itself (worker_api.h, worker.h). */
    int (*loop)(struct builtin_thread *thread);
    /* In each worker, after the run. */
    int (*thread_end)(struct builtin_thread *thread);

    /* After the run, when all threads have ended: makes final checks and frees what begin() has
     * allocated. */
    int (*end)(void *test);

    /* Print figures in the reports, as in struct presentation. `test` is passed as the argument. */
    void (*interval_figures)(void *test, FILE *out, const struct interval *interval);
    void (*summary_figures)(void *test, FILE *out, const struct summary *summary);
    void (*throughput_figures)(void *test, FILE *out, const struct summary *summary);
};

/* The chosen test. */
struct builtin {
    const struct builtin_ops *ops;
    void *test;
};

/* Adds the options of the test to `set`. Call for one test only. Returns −1 after logging a
 * message. */
int builtin_add_options(const struct builtin_ops *ops, struct options *set);
/* Prints "NAME options:" and the options. */
void builtin_print_help(const struct builtin_ops *ops, const struct options *set, FILE *out);

/* Sets the test up with the values of its options. `settings` must outlive the test. Returns −1
 * after logging a message. builtin_fini() must be called in both cases. */
int builtin_init(struct builtin *builtin, const struct builtin_ops *ops, const struct options *set,
                 struct settings *settings);
void builtin_fini(struct builtin *builtin);

/* Executes a command other than `run` and `help`. Returns −1 after logging a message if the command
 * fails or does not exist. */
int builtin_command(struct builtin *builtin, const char *command);

/* Call begin() and end() of the test, before and after a run. Return −1 after logging a message.
 * builtin_end() must be called even if builtin_begin() fails. */
int builtin_begin(struct builtin *builtin);
int builtin_end(struct builtin *builtin);

/* Returns the workload operations. Valid as long as `builtin`. */
struct workload builtin_workload(struct builtin *builtin);

#endif
