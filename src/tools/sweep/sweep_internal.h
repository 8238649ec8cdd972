/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files sweep*.c. */
#ifndef SWEEP_INTERNAL_H
#define SWEEP_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/server_settings/server_settings.h"
#include "tools/subject.h"

/* Prefix of the names of server settings, in tables and in the configuration of reports. */
#define SERVER_PREFIX "server."

/* An option, or a setting of the server, and its values. */
struct vary {
    char *name;   /* a setting of the server: with SERVER_PREFIX */
    bool server;  /* a setting of the server (--vary-server) */
    char **value; /* all different */
    size_t count; /* ≥ 1 */
};

enum point_state {
    POINT_OPEN,
    POINT_MEASURED, /* the folder has its report */
    POINT_FAILED,
};

/* One run of the sweep. */
struct sweep_point {
    size_t combination; /* index of the combination, from 0 to combinations − 1 */
    unsigned turn;      /* number of the repeat, from 1 to `repeat` */
    char *label;        /* for example "threads=4 tables=2 #1" */
    char *path;         /* path of its report */
    enum point_state state;
    char *failure; /* reason, for POINT_FAILED */
    /* Errors of the injections that failed, for POINT_MEASURED; otherwise NULL. */
    char *injection_failure;
    /* Summary of its report with more figures for the tables, for POINT_MEASURED. */
    json_t *summary;
};

struct sweep {
    struct subject subject;
    struct vary *vary;
    size_t varied;
    size_t combinations; /* the last option varies fastest */
    unsigned repeat;
    bool prepare, cleanup;
    bool shuffled;
    int64_t seed; /* seed of the order, if shuffled */
    const char *folder;
    int lock_fd;               /* lock of the folder; −1 if it is not locked */
    struct server_settings server;
    struct sweep_point *point; /* ordered by combination */
    size_t count;
    size_t *order; /* order in which points are run */
    /* Point whose prepare has begun and whose cleanup has not succeeded; NULL if there is no such
     * point, or --prepare and --cleanup are not both given. */
    struct sweep_point *prepared;
    bool begun;  /* the first run may have been started */
    bool failed; /* a point, a prepare or a cleanup has failed */
};

/* sweep_plan.c: the runs of a sweep. */

/*
 * Parses "NAME=VALUE,…" into an element of sweep->vary; sweep_fini() frees the element, also after
 * an error. Returns NULL or a description of allowed values.
 */
const char *vary_parse(struct vary *vary, const char *text);
/* The same for a setting of the server. */
const char *vary_parse_server(struct vary *vary, const char *text);

/* Returns −1 after a logged message if there are too many points. */
int sweep_make_points(struct sweep *sweep);
void sweep_points_fini(struct sweep *sweep);
/* Sets the order of the points: rounds of one run of each combination. If the order is shuffled, it
 * is shuffled within each round, from the seed. */
void sweep_make_order(struct sweep *sweep);
/* Value of the option with the index `option` in a combination. */
const char *sweep_value(const struct sweep *sweep, size_t combination, size_t option);
/* Returns true if a setting of the server varies. */
bool sweep_varies_server(const struct sweep *sweep);
/* Returns the plan as JSON, without passwords; a new reference. */
json_t *sweep_plan(const struct sweep *sweep);
void sweep_fini(struct sweep *sweep);

/* sweep_folder.c: the folder for the results. */

/*
 * Creates the folder if it does not exist. Checks that no other sweep uses it and that it has no
 * other plan; a plan with fewer repeats and otherwise the same is extended, and the reports in the
 * folder are renamed. Uses the seed of an earlier call again unless `seed_given`. Then sets the
 * order and finds the points that are finished, and the point that an earlier call has prepared but
 * not cleaned up. Returns −1 after a logged message.
 */
int sweep_folder_open(struct sweep *sweep, bool seed_given);
/*
 * Saves `text`, the report of a run of `point` that ended with exit code `code`, as the file of the
 * point, and sets the state of the point. If the run has not completed, the point stays open. Takes
 * ownership of `text`. Returns −1 after a logged message.
 */
int sweep_keep_report(struct sweep_point *point, char *text, int code);

/* Sets sweep->prepared to the point, and saves that for the next call, too. Returns −1 after a
 * logged message. */
int sweep_note_prepared(struct sweep *sweep, struct sweep_point *point);

/*
 * sweep_run.c: runs the open points. A point that fails sets sweep->failed, and the sweep
 * continues. Returns −1 after a logged message if the sweep cannot continue.
 */
int sweep_run(struct sweep *sweep);

/* sweep_server.c: settings of the server. */

/* Prints which settings will be changed, if runs are missing. Returns −1 after a logged message. */
int sweep_server_begin(struct sweep *sweep);
/* Writes the journal and sets each combination of values once, so that a value that the server
 * refuses is found before the first run. Returns −1 after a logged message. */
int sweep_server_try(struct sweep *sweep);
/* Sets the values of a point. Returns −1 after an error and stores a line about it in *failure. */
int sweep_server_set(struct sweep *sweep, const struct sweep_point *point, char **failure);

/* sweep_table.c */

/* Returns for example "queue full, OVERLOADED", the failure of a failed point, or "". The caller
 * frees the text. */
char *sweep_note(const struct sweep_point *point);
/* Name of the last percentile in a report, or NULL. */
const char *sweep_last_percentile(const json_t *summary);
/*
 * Returns an object whose keys are all percentiles of any run: if --percentile varies, runs have
 * different percentiles. The caller releases the object.
 */
json_t *sweep_percentiles(const struct sweep *sweep);
/* Returns an object with a member for each quality figure of the runs. The caller releases it. */
json_t *sweep_qualities(const struct sweep *sweep);
/* Writes the table to standard output and to the folder. Returns −1 after a logged message. */
int sweep_write_table(const struct sweep *sweep);

/* sweep_replicas.c */

/* Member of a summary that has the figures of replicas: {"replica_lag_s": {value, title}, …}. */
#define SWEEP_REPLICAS "replicas"

/* Adds this member to the summary of a run whose report has this head. Figures are those of the
 * whole run, including its warm-up. */
void sweep_note_replicas(json_t *summary, const json_t *head);
/* Returns an object whose keys are the figures of replicas that any run has; the caller releases
 * it. */
json_t *sweep_replicas(const struct sweep *sweep);

/* sweep_csv.c: writes a CSV file with a line per run. Returns −1 after a logged message. */
int sweep_write_csv(const struct sweep *sweep);

#endif
