/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrival times from a file: one time in seconds per line, not decreasing; '#' starts a comment,
 * empty lines do not count. */
#ifndef ARRIVAL_TRACE_H
#define ARRIVAL_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct arrival_trace {
    char *path;
    int64_t *times_ns; /* since the start of the run */
    size_t count;
};

/*
 * −1 after a logged message that names file and line: unreadable, malformed, out of order, empty.
 */
int arrival_trace_load(struct arrival_trace *trace, const char *path);
/* How many arrivals there are before `until_ns`. */
size_t arrival_trace_count(const struct arrival_trace *trace, int64_t until_ns);
void arrival_trace_fini(struct arrival_trace *trace);

#endif
