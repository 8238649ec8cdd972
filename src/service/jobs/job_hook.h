/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells somebody else's program that a job has ended: one HTTP POST, without TLS. */
#ifndef JOB_HOOK_H
#define JOB_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* "http://HOST[:PORT]/PATH", without user and password. */
bool job_hook_check(const char *url);

/* As long as it may take, finding the host's address aside. */
#define JOB_HOOK_NS (6 * NS_PER_SEC)

/* Sends the text as JSON, until `until_ns` (CLOCK_MONOTONIC). −1 after a logged warning: it was not
 * taken with a status of 200 to 299. */
int job_hook_post(const char *url, const char *text, int64_t until_ns);

#endif
