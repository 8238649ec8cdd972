/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells somebody else's program that a job has ended: one HTTP POST, without TLS. */
#ifndef JOB_HOOK_H
#define JOB_HOOK_H

#include <stdbool.h>
#include <stddef.h>

/* "http://HOST[:PORT]/PATH", without user and password. */
bool job_hook_check(const char *url);

/* Sends the text as JSON; within ten seconds or so. −1 after a logged warning: it was not taken
 * with a status of 200 to 299. */
int job_hook_post(const char *url, const char *text);

#endif
