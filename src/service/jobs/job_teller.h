/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the owners of targets that jobs have ended (their webhooks), by threads of its own:
 * nobody waits for a server that does not answer, no other webhook either.
 */
#ifndef JOB_TELLER_H
#define JOB_TELLER_H

#include <stdint.h>

#include "service/jobs/target_list.h"

struct job_teller;

/* Both arguments must stay. NULL after a logged message. */
struct job_teller *job_teller_start(const char *archive, const struct target_list *targets);
/* Tells what there is to tell, for a few seconds in all, and ends. NULL is ignored. */
void job_teller_stop(struct job_teller *teller);

/* That job has ended; what it came to is in the archive. Any thread. */
void job_teller_tell(struct job_teller *teller, int64_t id);

#endif
