/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes the jobs of an archive, one after the other, by a thread of its own. Each job is a child
 * process that executes the program sysrate.
 *
 * Two locks (flock), which end with whoever holds them, however that ends:
 * - jobs.lock in the archive's folder: one service per archive.
 * - the file of this program: one job per machine. The job's processes inherit it, so that nothing
 *   begins while one of an earlier job, also of a service that was killed, is still there.
 *
 * A child that is left alone ends: the kernel sends it SIGHUP when the thread ends (child.h), and
 * it then writes what it has measured into the archive.
 */
#ifndef JOB_WORKER_H
#define JOB_WORKER_H

#include "service/jobs/catalogue.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/job_teller.h"
#include "service/jobs/target_list.h"

/* The program that jobs execute. */
#define JOB_PROGRAM "sysrate"

struct job_worker;

/*
 * Takes up the work: what an earlier service has left running is called lost when its processes are
 * gone, then what waits is executed. All arguments must stay. NULL after a logged message.
 */
struct job_worker *job_worker_start(const char *archive, const struct target_list *targets,
                                    const struct catalogue *catalogue, struct job_teller *teller);
/* Ends the present job, which is lost then, with its figures; the rest waits for the next service.
 * NULL is ignored. */
void job_worker_stop(struct job_worker *worker);

/* There is a new job, or one is to be cancelled. Any thread. */
void job_worker_wake(struct job_worker *worker);

/*
 * What the job that runs says of itself: the last interval of a run, or the last line of a search;
 * JSON. A new reference; NULL: it does not run, or says nothing yet. Any thread.
 */
json_t *job_worker_live(struct job_worker *worker, int64_t id);

#endif
