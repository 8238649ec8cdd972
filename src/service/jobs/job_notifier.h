/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notifies the webhooks of targets that jobs have ended. Separate threads send the notifications: a
 * webhook that does not answer delays neither the service nor other webhooks.
 */
#ifndef JOB_NOTIFIER_H
#define JOB_NOTIFIER_H

#include <stdint.h>

#include "service/jobs/target_list.h"

struct job_notifier;

/* Starts the notifier. `archive` is the folder of the archive. Both arguments must outlive the
 * notifier. Returns NULL after a logged message. */
struct job_notifier *job_notifier_start(const char *archive, const struct target_list *targets);
/* Sends the notifications that wait, for at most WEBHOOK_NS in all, and frees the notifier. NULL
 * is ignored. */
void job_notifier_stop(struct job_notifier *notifier);

/* Notifies the webhook of the job's target that the job has ended. The result must be in the
 * archive already. Does not wait. Any thread may call this. */
void job_notifier_add(struct job_notifier *notifier, int64_t id);

#endif
