/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrival times from a file: one time in seconds per line, not decreasing; '#' starts a comment,
 * empty lines do not count. */
#ifndef ARRIVAL_TRACE_H
#define ARRIVAL_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct arrival_trace {
    char *path;
    int64_t *times_ns; /* since the start of the run; NULL: the workload brings them */
    size_t count;
    int64_t last_ns;
};

/*
 * −1 after a logged message that names file and line: unreadable, malformed, out of order, empty.
 */
int arrival_trace_load(struct arrival_trace *trace, const char *path);
/* A trace whose times the workload brings: so many, and the last of them. */
void arrival_trace_of_workload(struct arrival_trace *trace, const char *path, size_t count,
                               int64_t last_ns);
/* How many arrivals there are, or are to be expected, before `until_ns`. */
size_t arrival_trace_count(const struct arrival_trace *trace, int64_t until_ns);
void arrival_trace_fini(struct arrival_trace *trace);

#endif
