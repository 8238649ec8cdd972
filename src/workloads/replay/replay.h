/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays the log of a database server as a workload: the statements of the log are the requests,
 * and their logged times are the arrival schedule. docs/replay.md describes it for users.
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

/* Name and description of the workload on the command line. */
#define REPLAY_NAME "replay"
#define REPLAY_DESCRIPTION "the statements of a server's log, at their logged times"

struct replay_options {
    const char *prefix, *database;
    double speed;
    bool writes;
    bool scale; /* replay the sessions of a sampled log as often as the log asks for */
    bool law; /* print the law of the arrivals instead of replaying them */
};

struct replay {
    const char *files;
    struct replay_options options;
    struct timeline_plan plan;
    struct replay_census census;
    struct sql *sql;
    sql_driver *driver;
    const char *set_up;  /* executed on each new connection; NULL if nothing is to be executed */
    bool uses_databases; /* switch sessions to the databases named in the log */
    char database[LOG_EVENT_DATABASE_BYTES]; /* database that a new connection uses */
    /* Unique to this run; part of the name of each statement that a session prepares in SQL. */
    char names[UNIQUE_BYTES];

    /* Used by the generator thread only. */
    struct timeline *timeline;
    struct replay_item *ahead; /* next statement; NULL after the last one */
    int64_t last_due_ns;

    struct replay_lines *lines;
    struct replay_compare *compare;
    pthread_mutex_t lock;  /* guards `idle` */
    sql_connection **idle; /* connections opened before the run that no session uses yet */
    unsigned idle_count;
};

/* Adds the options of this workload to `set`. Returns −1 after a logged message. */
int replay_add_options(struct options *set);
void replay_print_help(const struct options *set, FILE *out);

/*
 * Call it when the general options are parsed, before settings are made of them. Refuses options
 * that cannot be combined with a log and sets others to values that a replay needs. Returns −1
 * after a logged message.
 */
int replay_claim_options(struct options *set);

/* Returns true if the law of the arrivals is to be printed. Call it when all options are parsed. */
bool replay_asks_for_law(const struct options *set);
/* Prints the law of the arrivals in the log `files`. Returns −1 after a logged message. */
int replay_print_law(const char *files, const struct options *set, const char *json_path);

/*
 * Reads the log `files` once and adapts options and settings to it. Returns −1 after a logged
 * message. The caller has to call replay_fini() in either case. `files` and `set` must outlive `r`.
 */
int replay_init(struct replay *r, const char *files, struct options *set,
                struct settings *settings);
/*
 * The command by which a tool learns the load of a log: `sysrate replay LOG [options]
 * replay-load:FILE`. FILE becomes a JSON object: `hash` of the statements, `statements` and `sessions` that the options
 * select, `span_s` from the first statement to the last one and `rate_per_s`, the mean rate, by the
 * clock of the log.
 */
#define REPLAY_LOAD_COMMAND "replay-load:"
/* Writes the file. Returns −1 after a logged message. */
int replay_write_load(const struct replay *r, const char *path);

/* Call these before and after a run. `sql` must stay valid in between. replay_begin() returns −1
 * after a logged message; replay_end() has to be called in either case. */
int replay_begin(struct replay *r, struct sql *sql, const struct settings *settings);
void replay_end(struct replay *r);
void replay_fini(struct replay *r);

/* Returns the interface of the replay for the engine. It is valid as long as `r`. */
struct workload replay_workload(struct replay *r);

/* Operations of a worker thread (replay_worker.c), for replay_workload.c. */
extern const struct workload_ops replay_ops;
/* Called by the generator: returns the next arrival time in nanoseconds since the start of the run,
 * or INT64_MAX after the last one. */
int64_t replay_next_ns(void *self);

#endif
