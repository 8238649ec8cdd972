/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a webhook is to be sent: one text after the other, by a thread of its own, so that one that
 * does not answer keeps no other one waiting.
 */
#ifndef JOB_HOOK_LINE_H
#define JOB_HOOK_LINE_H

#include <stdint.h>

struct job_hook_line;

/* Copies the address. NULL after a logged message. */
struct job_hook_line *job_hook_line_start(const char *url);
/* The text is the line's from then on. */
void job_hook_line_put(struct job_hook_line *line, char *text);
/* Nothing is put any more, and nothing is sent later than `end_ns` (CLOCK_MONOTONIC). Does not
 * wait. */
void job_hook_line_end(struct job_hook_line *line, int64_t end_ns);
/* Behind job_hook_line_end(): waits for the thread until then. A thread that has not ended, since a
 * resolver does not answer, is left alone, with what it needs. */
void job_hook_line_destroy(struct job_hook_line *line);

#endif
