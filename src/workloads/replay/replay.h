/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log of a server as a workload: its statements are the requests, and their times the schedule.
 * docs/replay.md says it to users.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <stdio.h>

#include "base/unique.h"
#include "engine/workload.h"
#include "options/options.h"
#include "options/settings.h"
#include "sql/sql.h"
#include "workloads/replay/replay_census.h"
#include "workloads/replay/replay_compare.h"
#include "workloads/replay/replay_lines.h"

/* How it is called on the command line. */
#define REPLAY_NAME "replay"
#define REPLAY_DESCRIPTION "the statements of a server's log, at the times that it has"

struct replay_options {
    const char *prefix, *database;
    double speed;
    bool writes;
};

struct replay {
    const char *files;
    struct replay_options options;
    struct timeline_plan plan;
    struct replay_census census;
    struct sql *sql;
    sql_driver *driver;
    const char *set_up;                      /* a statement for each new connection; NULL: none */
    bool uses_databases;                     /* sessions go to the databases that the log names */
    char database[LOG_EVENT_DATABASE_BYTES]; /* where connections are when they are opened */
    char names[UNIQUE_BYTES]; /* in the names of all statements that sessions prepare in SQL */

    /* The generator's. */
    struct timeline *timeline;
    struct replay_item *ahead; /* the next one; NULL: there is none */
    int64_t last_due_ns;

    struct replay_lines *lines;
    struct replay_compare *compare;
    pthread_mutex_t lock;  /* guards `idle` */
    sql_connection **idle; /* connections that were opened before the run and have no session yet */
    unsigned idle_count;
};

/* The options of the test. −1 logged. */
int replay_add_options(struct options *set);
void replay_print_help(const struct options *set, FILE *out);

/*
 * With the general options, before settings are made of them: refuses those that a log cannot go
 * with, and sets others to what a log asks for. −1 after a logged message.
 */
int replay_claim_options(struct options *set);

/*
 * Reads the log `files` once, and has options and settings follow it. −1 after a logged message;
 * replay_fini() is due in either case. `files` and `set` must outlive it.
 */
int replay_init(struct replay *r, const char *files, struct options *set,
                struct settings *settings);
/* Around a run: `sql` must outlive it. −1 after a logged message; replay_end() is due in any case.
 */
int replay_begin(struct replay *r, struct sql *sql, const struct settings *settings);
void replay_end(struct replay *r);
void replay_fini(struct replay *r);

/* Good as long as `r` is. */
struct workload replay_workload(struct replay *r);

/* For replay_workload.c: the loop of a worker (replay_worker.c). */
extern const struct workload_ops replay_ops;
/* The generator asks for the next arrival. */
int64_t replay_next_ns(void *self);

#endif
