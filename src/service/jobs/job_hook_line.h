/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of texts for one webhook. Each queue has its own thread, which sends the texts one after
 * the other. A webhook that does not answer does not delay other webhooks.
 */
#ifndef JOB_HOOK_LINE_H
#define JOB_HOOK_LINE_H

#include <stdint.h>

struct job_hook_line;

/* Starts the thread. Copies the address. Returns NULL after a logged message. */
struct job_hook_line *job_hook_line_start(const char *url);
/* Adds a text, which then belongs to the queue. */
void job_hook_line_put(struct job_hook_line *line, char *text);
/* Announces the end: no text is added after this call, and none is sent later than `end_ns`
 * (CLOCK_MONOTONIC). Does not wait. */
void job_hook_line_end(struct job_hook_line *line, int64_t end_ns);
/* Waits for the thread until `end_ns` of job_hook_line_end(), which must have been called, and one
 * second longer. A thread that has not ended by then, because a name resolver does not answer, is
 * detached and keeps its memory. */
void job_hook_line_destroy(struct job_hook_line *line);

#endif
