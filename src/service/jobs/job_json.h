/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs, targets and tests for clients: nothing of how a target is reached. */
#ifndef JOB_JSON_H
#define JOB_JSON_H

#include "service/jobs/catalogue.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/target_list.h"

/* Each a new reference. */
json_t *job_json(const struct job *job);
json_t *job_json_runs(struct archive *archive, int64_t id); /* numbers; NULL after a message */
json_t *target_json(const struct target *target);
json_t *catalogue_test_json(const struct catalogue_test *test);

#endif
