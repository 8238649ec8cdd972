/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything that a service needs for jobs: the owner's configuration files, the worker that
 * executes jobs, and the notifier that calls webhooks. */
#ifndef JOB_DESK_H
#define JOB_DESK_H

#include "service/jobs/job_worker.h"

struct job_desk {
    struct target_list *targets;
    struct catalogue *catalogue;
    struct job_notifier *notifier;
    struct job_worker *worker;
};

/* Reads the files of targets and tests and starts the threads. `archive` is the folder of the
 * archive. Returns −1 after a logged message. The caller calls job_desk_close() in either case. */
int job_desk_open(struct job_desk *desk, const char *archive, const char *targets,
                  const char *tests);
void job_desk_close(struct job_desk *desk);

#endif
