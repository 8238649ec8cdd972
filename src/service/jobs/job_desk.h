/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a service needs to take jobs: the owner's files, and who executes them. */
#ifndef JOB_DESK_H
#define JOB_DESK_H

#include "service/jobs/job_worker.h"

struct job_desk {
    struct target_list *targets;
    struct catalogue *catalogue;
    struct job_teller *teller;
    struct job_worker *worker;
};

/* Reads both files and takes up the work. −1 after a logged message. Call job_desk_close() in any
 * case. */
int job_desk_open(struct job_desk *desk, const char *archive, const char *targets,
                  const char *tests);
void job_desk_close(struct job_desk *desk);

#endif
