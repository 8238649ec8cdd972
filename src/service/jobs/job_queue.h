/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of jobs, stored in the database of the archive: requested jobs, their results, and the
 * tables that they have created on targets. Changes are durable when a function returns: they
 * survive kill -9 and a power failure. The runs of a job are found by their label "job". Each
 * thread
 * uses an archive that it has opened for itself.
 */
#ifndef JOB_QUEUE_H
#define JOB_QUEUE_H

#include "archive/archive.h"

enum job_state {
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_DONE,      /* the job has a result; its objectives may have been missed */
    JOB_FAILED,    /* the job has no result; its field `reason` says why */
    JOB_CANCELLED, /* cancelled by a client; figures measured until then are kept */
    JOB_LOST,      /* the service ended during the job; figures measured until then are kept */
    JOB_STATES,
};

/* Returns the name of a state, for example "queued". */
const char *job_state_name(enum job_state state);

/* A job. Texts that do not apply (yet) are NULL. */
struct job {
    int64_t id;
    enum job_state state;
    bool cancel;                          /* a client has requested cancellation */
    const char *key;                      /* unique key chosen by the client */
    const char *who;                      /* name of the client's token */
    const char *kind;                     /* run, capacity, sweep, prepare, cleanup */
    const char *target, *test;            /* names of target and test */
    const char *request;                  /* the client's request, JSON */
    const char *queued, *started, *ended; /* times, ISO 8601 */
    const char *reason;    /* a sentence that says why the job did not end as planned */
    const char *result;    /* JSON: the part of the result that no report of a run contains */
    int exit_code;         /* exit code of the process, −1 before its end */
    int64_t process;       /* process id, 0 before its start */
    int64_t process_start; /* start time of the process, in clock ticks since boot */
};

/* Creates the tables of the queue unless they exist. Returns −1 after a logged message. */
int jobs_init(struct archive *archive);

/*
 * Adds a job (fields key, who, kind, target, test, request). Returns its number. If there is a job
 * with the same key, request and client already, returns the number of that job and sets *known.
 * After a logged message returns JOBS_REFUSED if the key was used for another request before,
 * otherwise −1.
 */
#define JOBS_REFUSED (-2)
int64_t jobs_add(struct archive *archive, const struct job *job, bool *known);

/* Selects jobs. Fields that are 0 or false do not restrict the selection. */
struct jobs_filter {
    int64_t id;
    int64_t limit;        /* maximum number of jobs; the newest are selected */
    bool open;            /* only jobs that are queued or running */
    enum job_state state; /* only jobs in this state; used if `by_state` */
    bool by_state;
};

/* Calls `visit`, which may be NULL, for each selected job, newest first. The job is valid until
 * `visit` returns. Returns the number of jobs, or −1 after a logged message. */
int64_t jobs_each(struct archive *archive, const struct jobs_filter *filter,
                  void (*visit)(void *arg, const struct job *job), void *arg);

/* Sets the oldest queued job to JOB_RUNNING. Returns its number, 0 if no job is queued, −1 after a
 * logged message. */
int64_t jobs_take(struct archive *archive);

/* Stores id and start time of the process of a running job. Returns −1 after a logged message. */
int jobs_note_process(struct archive *archive, int64_t id, int64_t process, int64_t start);

/*
 * Ends a running job with the fields state, exit_code, reason and result of `end`. If cancellation
 * was requested and the state is not JOB_DONE, the job becomes JOB_CANCELLED. Returns −1 after a
 * logged message.
 */
int jobs_end(struct archive *archive, int64_t id, const struct job *end);

/*
 * Cancels a job. A queued job becomes JOB_CANCELLED at once and *ended is set; a running job is
 * marked, see jobs_is_cancelled(). After a logged message returns JOBS_REFUSED if there is no such
 * job or if it has ended, otherwise −1.
 */
int jobs_cancel(struct archive *archive, int64_t id, bool *ended);
/* True if cancellation of this job was requested. */
bool jobs_is_cancelled(struct archive *archive, int64_t id);

/* Returns the tables that jobs have created in the schema of a target: their names, each followed
 * by '\n'. JOBS_ANY_TABLE stands for all tables in the schema; it is set while a job creates
 * tables, and remains set if the service is killed during this. The caller frees the text. Returns
 * NULL after a logged message. */
#define JOBS_ANY_TABLE "*\n"
char *jobs_tables(struct archive *archive, const char *target);
/* Replaces the list of tables that jobs_tables() returns. Returns −1 after a logged message. */
int jobs_set_tables(struct archive *archive, const char *target, const char *names);

#endif
