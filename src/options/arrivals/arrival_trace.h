/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrival times from a file: one time in seconds per line, in non-decreasing order. '#' starts a
 * comment; empty lines are ignored. */
#ifndef ARRIVAL_TRACE_H
#define ARRIVAL_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct arrival_trace {
    char *path;
    int64_t *times_ns; /* nanoseconds since the start of the run; NULL if the workload has the
                        * times */
    size_t count;
    int64_t last_ns;
};

/* Reads the trace. Returns −1 after a logged message with file and line if the file is
 * unreadable, malformed, out of order or empty. */
int arrival_trace_load(struct arrival_trace *trace, const char *path);
/*
 * Creates a trace whose times are known to the workload only: `count` times, the last at `last_ns`.
 */
void arrival_trace_of_workload(struct arrival_trace *trace, const char *path, size_t count,
                               int64_t last_ns);
/* Returns the number of arrivals before `until_ns`, or the expected number if the times are
 * unknown. */
size_t arrival_trace_count(const struct arrival_trace *trace, int64_t until_ns);
void arrival_trace_fini(struct arrival_trace *trace);

#endif
