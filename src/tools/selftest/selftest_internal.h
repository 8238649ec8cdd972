/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files selftest*.c share: each section names the one that defines it. */
#ifndef SELFTEST_INTERNAL_H
#define SELFTEST_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/child.h"
#include "tools/selftest/queueing.h"

struct selftest {
    int64_t seed;
    double scale;     /* of all run lengths: 1, less with --quick */
    const char *name; /* of the test whose checks are printed */
    unsigned passed, failed;
    int64_t ready_ns; /* the longest that a run of one process has taken to begin */
};

/* selftest_check.c */

/* One line of the table. Passes when expected − below ≤ measured ≤ expected + above. */
void selftest_check(struct selftest *t, const char *what, double expected, double measured,
                    double below, double above);

/*
 * A figure found in three ways, in milliseconds. Between the formula and the replay, which has the
 * very arrivals and service times of the run but no delays, stands chance; between the replay and
 * the report stand the delays of the machine, which lengthen only.
 */
struct figure {
    const char *name;
    double formula, replayed, reported;
};

/* Two lines; `below` and `above` are what chance may do. */
void selftest_check_figure(struct selftest *t, const struct figure *f, double below, double above);

/* selftest_trial.c: a run of the program as a child process, and what it leaves behind. */

struct trial {
    struct selftest *test;
    double rate, seconds; /* Poisson arrivals */
    unsigned threads;
    /*
     * A run of several processes: this one is rank `rank` of `ranks`, and all of them begin at
     * `start_s` (seconds of CLOCK_REALTIME). Rate and threads are those of all.
     */
    unsigned rank, ranks; /* ranks: 0 for one process */
    double start_s;
    const char *service; /* --null-service; NULL: none */
    const char *script;
    struct child *child;
    int64_t launched_ns; /* by trial_start() */
};

/* −1 after a logged message. Call trial_fini() in either case. */
int trial_start(struct trial *trial);
void trial_fini(struct trial *trial);

/* From the request log; times are nanoseconds since the start of the run. */
struct logged_request {
    int64_t arrival_ns, start_ns, end_ns;
    unsigned thread;
    unsigned turn; /* the thread's first request is 0 */
};

/* What a run has left behind. */
struct evidence {
    json_t *report;
    int64_t started_ns;             /* the start of the run, CLOCK_MONOTONIC */
    struct logged_request *request; /* in the order of arrival */
    size_t count;
    /* How late a process wakes up on this machine: what naps of this one saw meanwhile. */
    int64_t late90_ns, late_max_ns;
};

/*
 * Waits for the end and reads what there is. −1 when it failed: a failed check. Call
 * evidence_fini() in either case.
 */
int trial_finish(struct trial *trial, struct evidence *e);
void evidence_fini(struct evidence *e);

/* Adds the requests of a part of the run to *whole, in the order of arrival. */
void evidence_add(struct evidence *whole, const struct evidence *part);

/* A figure of the summary: "mean" or a percentile of the response time, in milliseconds. */
double evidence_response_ms(const struct evidence *e, const char *figure);

/* The value of nearest rank among `n` sorted ones; `percentile` in millionths of a percent. */
int64_t nearest_rank(const int64_t *sorted, size_t n, int64_t percentile);

/* selftest_evidence.c */

/*
 * What must hold of any run: nothing is lost, the schedule is the one that follows from the seed,
 * no request starts too early, the reported figures are those of the requests.
 */
void check_evidence(const struct trial *trial, const struct evidence *e);

/* selftest_replay.c */

/* What must hold of a process whose own requests make a queue such as the model. */
void check_queue(const struct trial *trial, const struct queue_model *model,
                 const struct evidence *e);

/*
 * selftest_queues.c, selftest_ranks.c, selftest_stalls.c: the tests. Each prints its checks.
 */
/* A worker's request takes what --null-service says. */
extern const char queue_script[];
void selftest_queues(struct selftest *t);
void selftest_ranks(struct selftest *t);
void selftest_stalls(struct selftest *t);

#endif
