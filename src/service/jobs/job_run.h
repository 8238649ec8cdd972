/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job, from the look at its server to its end. */
#ifndef JOB_RUN_H
#define JOB_RUN_H

#include "service/jobs/job_plan.h"
#include "service/jobs/job_queue.h"

/* What a job is told while it runs, and what it tells. Any function may be called by the thread
 * that runs the job only. */
struct job_watch {
    void *arg;
    /* Its process runs, and writes intervals to the first or its progress to the second of these
     * files; both NULL: no longer. */
    void (*runs)(void *arg, const char *intervals, const char *progress);
    /* Whether the service ends. Waits a moment. */
    bool (*ends)(void *arg);
};

/* How it ended, for jobs_end(); job_outcome_fini() frees the texts. */
struct job_outcome {
    enum job_state state;
    int exit_code; /* −1: there was no process */
    char *reason, *result;
};

/* Where jobs are executed. */
struct job_place {
    struct archive *archive;
    const char *folder;  /* of the archive */
    const char *program; /* the path of sysrate, which a job's processes execute */
};

/* The job is a running one (jobs_take()). */
void job_run(struct job_outcome *outcome, const struct job_place *place,
             const struct job_plan *plan, int64_t id, const struct job_watch *watch);
void job_outcome_fini(struct job_outcome *outcome);

/* When a process was started, in ticks since the machine was; 0: there is none, or it has
 * ended. */
int64_t job_process_start(int64_t process);

#endif
