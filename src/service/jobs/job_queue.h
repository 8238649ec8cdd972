/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of a service, in the file of its archive: what was asked for, what became of it, and
 * which tables it has made. What a function has reported as done outlives kill -9 and a loss of
 * power. A run that a job has made is found by its label "job".
 */
#ifndef JOB_QUEUE_H
#define JOB_QUEUE_H

#include "archive/archive.h"

enum job_state {
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_DONE,      /* it has a result, also one that misses its objectives */
    JOB_FAILED,    /* `reason` says why */
    JOB_CANCELLED, /* by somebody; with what was measured until then */
    JOB_LOST,      /* the service ended while it ran; with what was measured until then */
    JOB_STATES,
};

/* "queued" and the like. */
const char *job_state_name(enum job_state state);

/* Texts are ISO 8601 where they are times; NULL: not yet, or none. */
struct job {
    int64_t id;
    enum job_state state;
    bool cancel;        /* somebody wants it to end */
    const char *key;    /* the client's own, unique */
    const char *who;    /* asked for it */
    const char *kind;   /* run, capacity, sweep, prepare, cleanup */
    const char *target; /* names */
    const char *test;
    const char *request; /* as JSON */
    const char *queued, *started, *ended;
    const char *reason;    /* a sentence: why it ended otherwise than it should */
    const char *result;    /* as JSON: what is not in the reports of its runs */
    int exit_code;         /* of the process; −1: none yet */
    int64_t process;       /* its number, 0: none, … */
    int64_t process_start; /* … and when it was started, in ticks since the machine was */
};

/* Makes the tables unless they are there. −1 after a logged message. */
int jobs_init(struct archive *archive);

/*
 * Adds a job (key, who, kind, target, test, request). Returns its number; that of the one that is
 * there where its key and request are known, *known is true then. −1 after a logged message, also
 * where the key came with another request before.
 */
int64_t jobs_add(struct archive *archive, const struct job *job, bool *known);

/* Which; zeros and NULL: all. */
struct jobs_filter {
    int64_t id;
    int64_t limit;        /* the newest so many */
    bool open;            /* those that wait or run */
    enum job_state state; /* those in this state, … */
    bool by_state;        /* … if that is asked for */
};

/* Calls `visit` for each, the newest first; a job is good until it returns. Returns how many, −1
 * after a logged message. */
int64_t jobs_each(struct archive *archive, const struct jobs_filter *filter,
                  void (*visit)(void *arg, const struct job *job), void *arg);

/* Makes the oldest that waits a running one. Returns its number; 0: none waits; −1 after a logged
 * message. */
int64_t jobs_take(struct archive *archive);

/* The process of a running job. */
int jobs_note_process(struct archive *archive, int64_t id, int64_t process, int64_t start);

/*
 * Ends a running job: state, exit_code, reason and result of `end`. Where somebody wants it to end
 * and it was not done, it is cancelled. −1 after a logged message.
 */
int jobs_end(struct archive *archive, int64_t id, const struct job *end);

/*
 * Somebody wants a job to end: one that waits is cancelled at once, *ended is true then, one that
 * runs is marked. −1 after a logged message: there is no such job, or it has ended.
 */
int jobs_cancel(struct archive *archive, int64_t id, bool *ended);
/* Whether one is marked. */
bool jobs_is_cancelled(struct archive *archive, int64_t id);

/* The tables that jobs have made in the schema of a target. Names are one text with '\n' behind
 * each; JOBS_ANY_TABLE: all that are there, since a job is making some, or was when the service was
 * killed. jobs_tables() returns them, the caller frees it; NULL after a logged message. */
#define JOBS_ANY_TABLE "*\n"
char *jobs_tables(struct archive *archive, const char *target);
/* They are those from now on. */
int jobs_set_tables(struct archive *archive, const char *target, const char *names);

#endif
