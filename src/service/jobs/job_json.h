/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs, targets and tests as JSON for clients. The options by which a target is reached are left
 * out. */
#ifndef JOB_JSON_H
#define JOB_JSON_H

#include "service/jobs/catalogue.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/target_list.h"

/* Each function returns a new reference. */
json_t *job_json(const struct job *job);
/* Returns the numbers of the runs of a job, or NULL after a logged message. */
json_t *job_json_runs(struct archive *archive, int64_t id);
json_t *target_json(const struct target *target);
json_t *catalogue_test_json(const struct catalogue_test *test);

#endif
