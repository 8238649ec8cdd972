/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of --request-log: when each measured request arrived, started and ended. Each worker
 * collects its own requests in memory (24 bytes per request, no locks, no copying). The file is
 * written after the run.
 */
#ifndef REQUEST_LOG_H
#define REQUEST_LOG_H

#include <stdint.h>

struct request_log;        /* log of a run */
struct request_log_thread; /* part of the log that one worker fills */

struct request_log *request_log_create(unsigned threads);
void request_log_destroy(struct request_log *log);
struct request_log_thread *request_log_thread(struct request_log *log, unsigned thread);

/* Adds a completed request, with times of CLOCK_MONOTONIC. Only the worker that owns the part may
 * call this function. */
void request_log_add(struct request_log_thread *part, int64_t arrival_ns, int64_t start_ns,
                     int64_t end_ns);

/*
 * Writes a line "# started_ns N" and then a line "arrival_ns start_ns end_ns thread" for each
 * request: thread by thread, each in the order of execution. Times are relative to `started_ns`,
 * the start of the run. Threads are numbered from `first_thread` on. Call it after all workers have
 * ended. Returns 0, or −1 after logging an error.
 */
int request_log_write(const struct request_log *log, int64_t started_ns, unsigned first_thread,
                      const char *path);

#endif
