/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files selftest*.c; each section names the file that defines its functions. */
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
    double scale;     /* factor for the length of all runs: 1, or less with --quick */
    const char *name; /* name of the current test */
    unsigned passed, failed;
    int64_t ready_ns; /* longest time that a run of one process took to start */
};

/* selftest_check.c */

/* Prints one line of the table. The check passes if expected − below ≤ measured ≤ expected +
 * above. */
void selftest_check(struct selftest *t, const char *what, double expected, double measured,
                    double below, double above);

/*
 * A figure found in three ways, in milliseconds. The replay has the arrivals and service times of
 * the run but no delays. Formula and replay differ by chance. Replay and report differ by the
 * delays of the machine, which only lengthen times.
 */
struct figure {
    const char *name;
    double formula, replayed, reported;
};

/* Prints two lines; `below` and `above` are the tolerance for chance. */
void selftest_check_figure(struct selftest *t, const struct figure *f, double below, double above);

/* selftest_trial.c: a run of the program as a child process, and its output. */

struct trial {
    struct selftest *test;
    double rate, seconds; /* rate of Poisson arrivals; length */
    unsigned threads;
    /*
     * For a run of several processes: this process is rank `rank` of `ranks`, and all of them begin
     * at `start_s` (seconds of CLOCK_REALTIME). Rate and threads are those of the whole run.
     */
    unsigned rank, ranks; /* ranks is 0 for a run of one process */
    double start_s;
    const char *service; /* value of --null-service, or NULL */
    const char *script;
    struct child *child;
    int64_t launched_ns; /* time of trial_start() */
};

/* Starts the run. Returns −1 after a logged message. Call trial_fini() in either case. */
int trial_start(struct trial *trial);
void trial_fini(struct trial *trial);

/* A request from the request log. Times are nanoseconds since the start of the run. */
struct logged_request {
    int64_t arrival_ns, start_ns, end_ns;
    unsigned thread;
    unsigned turn; /* number of the request in its thread, from 0 on */
};

/* Output of a run. */
struct evidence {
    json_t *report;
    int64_t started_ns;             /* the start of the run, CLOCK_MONOTONIC */
    struct logged_request *request; /* requests in the order of arrival */
    size_t count;
    /* How late processes wake up on this machine, measured by short sleeps of this process during
     * the run. */
    int64_t late90_ns, late_max_ns;
};

/*
 * Waits for the end of the run and reads its output. If the run failed, records a failed check and
 * returns −1. Call evidence_fini() in either case.
 */
int trial_finish(struct trial *trial, struct evidence *e);
void evidence_fini(struct evidence *e);

/* Adds the requests of a part of the run to *whole, ordered by arrival. */
void evidence_add(struct evidence *whole, const struct evidence *part);

/* Returns a figure of the summary in milliseconds: the "mean" or a percentile of the response
 * time. */
double evidence_response_ms(const struct evidence *e, const char *figure);

/* Nearest-rank percentile of `n` sorted values; `percentile` is in millionths of a percent. */
int64_t nearest_rank(const int64_t *sorted, size_t n, int64_t percentile);

/* selftest_evidence.c */

/*
 * Checks that hold for any run: no request is lost, the schedule follows from the seed, no request
 * starts too early, and the reported figures are those of the logged requests.
 */
void check_evidence(const struct trial *trial, const struct evidence *e);

/* selftest_replay.c */

/* Checks for a process whose requests form a queue such as the model. */
void check_queue(const struct trial *trial, const struct queue_model *model,
                 const struct evidence *e);

/*
 * selftest_overload.c, selftest_queues.c, selftest_ranks.c, selftest_stalls.c: the tests. Each
 * prints its checks.
 */
/* Script whose requests take the time of --null-service. */
extern const char queue_script[];
void selftest_queues(struct selftest *t);
void selftest_ranks(struct selftest *t);
void selftest_stalls(struct selftest *t);
void selftest_overload(struct selftest *t);

#endif
