/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls a webhook: one HTTP POST, without TLS. */
#ifndef JOB_HOOK_H
#define JOB_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* True if the address has the form "http://HOST[:PORT]/PATH", without user and password. */
bool job_hook_check(const char *url);

/* Time limit for a call, not counting the time to resolve the host name. */
#define JOB_HOOK_NS (6 * NS_PER_SEC)

/* Sends the text as JSON. Gives up at `until_ns` (CLOCK_MONOTONIC). Returns 0 if the webhook
 * answers with a status of 200 to 299, otherwise −1 after a logged warning. */
int job_hook_post(const char *url, const char *text, int64_t until_ns);

#endif
