/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --request-log: when each measured request arrived, started and ended. Every worker collects its
 * own in memory (24 bytes each, no locks, no copying); the file is written after the run.
 */
#ifndef REQUEST_LOG_H
#define REQUEST_LOG_H

#include <stdint.h>

struct request_log;        /* of a run */
struct request_log_thread; /* the part of one worker */

struct request_log *request_log_create(unsigned threads);
void request_log_destroy(struct request_log *log);
struct request_log_thread *request_log_thread(struct request_log *log, unsigned thread);

/* Adds a completed request; times are CLOCK_MONOTONIC. The thread that owns the part only. */
void request_log_add(struct request_log_thread *part, int64_t arrival_ns, int64_t start_ns,
                     int64_t end_ns);

/*
 * Writes "arrival_ns start_ns end_ns thread", a line per request, thread by thread in the order in
 * which each executed them, behind a line "# started_ns N". Times are relative to `started_ns`, the
 * start of the run; threads are numbered from `first_thread` on. No worker runs any more. −1 after
 * a logged message.
 */
int request_log_write(const struct request_log *log, int64_t started_ns, unsigned first_thread,
                      const char *path);

#endif
