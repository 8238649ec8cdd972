/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs one job: checks the server, executes the process of the job, waits for its end. */
#ifndef JOB_RUN_H
#define JOB_RUN_H

#include "service/jobs/job_plan.h"
#include "service/jobs/job_queue.h"

/* Functions that job_run() calls while a job runs, in its own thread. */
struct job_watch {
    void *arg;
    /* Called when the process has started, with the file to which it writes intervals or the file
     * to which it writes its progress; the other one is NULL. Called with NULL for both when the
     * process has ended. */
    void (*runs)(void *arg, const char *intervals, const char *progress);
    /* Returns true if the service ends, so that the job must be terminated. */
    bool (*ends)(void *arg);
};

/* The end of a job, for jobs_end(). job_outcome_fini() frees the texts. */
struct job_outcome {
    enum job_state state;
    int exit_code; /* −1 if there was no process */
    char *reason, *result;
};

/* The environment in which jobs are executed. */
struct job_place {
    struct archive *archive;
    const char *folder;  /* folder of the archive */
    const char *program; /* path of sysrate, which the processes of jobs execute */
};

/* Runs the job `id`, which must be in state JOB_RUNNING (jobs_take()). Returns when it has ended.
 * */
void job_run(struct job_outcome *outcome, const struct job_place *place,
             const struct job_plan *plan, int64_t id, const struct job_watch *watch);
void job_outcome_fini(struct job_outcome *outcome);

/* Returns the start time of a process in clock ticks since boot, or 0 if there is no such process
 * or if it has ended. */
int64_t job_process_start(int64_t process);

#endif
