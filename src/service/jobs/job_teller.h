/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notifies the webhooks of targets that jobs have ended. Separate threads send the notifications: a
 * webhook that does not answer delays neither the service nor other webhooks.
 */
#ifndef JOB_TELLER_H
#define JOB_TELLER_H

#include <stdint.h>

#include "service/jobs/target_list.h"

struct job_teller;

/* Starts the notifier. `archive` is the folder of the archive. Both arguments must outlive the
 * notifier. Returns NULL after a logged message. */
struct job_teller *job_teller_start(const char *archive, const struct target_list *targets);
/* Sends the notifications that wait, for at most JOB_HOOK_NS in all, and frees the notifier. NULL
 * is ignored. */
void job_teller_stop(struct job_teller *teller);

/* Notifies the webhook of the job's target that the job has ended. The result must be in the
 * archive already. Does not wait. Any thread may call this. */
void job_teller_tell(struct job_teller *teller, int64_t id);

#endif
