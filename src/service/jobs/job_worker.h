/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes the jobs of an archive one after the other, in a thread of its own. Each job is a child
 * process that executes the program sysrate.
 *
 * There are two locks (flock); the kernel releases them when the processes that hold them end:
 * - jobs.lock in the archive's folder ensures that one service at a time executes the jobs of it.
 * - The file of this program ensures that one job at a time runs on this machine. The processes of
 * a
 *   job inherit the lock. No job starts while a process of an earlier job still exists, even if the
 *   service of the earlier job was killed.
 *
 * If the service is killed, the kernel sends SIGHUP to the child (child.h). The child then writes
 * the figures that it has measured into the archive and exits.
 */
#ifndef JOB_WORKER_H
#define JOB_WORKER_H

#include "service/jobs/catalogue.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/job_notifier.h"
#include "service/jobs/target_list.h"

/* The program that jobs execute. */
#define JOB_PROGRAM "sysrate"

struct job_worker;

/*
 * Starts the thread. A job that an earlier service has left in state JOB_RUNNING becomes JOB_LOST
 * when its processes have ended. Then the thread executes queued jobs. All arguments must outlive
 * the
 * worker. Returns NULL after a logged message.
 */
struct job_worker *job_worker_start(const char *archive, const struct target_list *targets,
                                    const struct catalogue *catalogue,
                                    struct job_notifier *notifier);
/* Terminates the present job, which becomes JOB_LOST and keeps its figures, and frees the worker.
 * Other jobs stay in the queue for the next service. NULL is ignored. */
void job_worker_stop(struct job_worker *worker);

/* Wakes the thread, because a job was added or must be cancelled. Any thread may call this. */
void job_worker_wake(struct job_worker *worker);

/*
 * Returns the progress of the running job as a new JSON reference: the last interval of a run, or
 * the last message of another kind of job. Returns NULL if the job `id` does not run or has written
 * nothing yet. Any thread may call this.
 */
json_t *job_worker_live(struct job_worker *worker, int64_t id);

#endif
