/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last word of a process that still writes. */
#ifndef JOB_LIVE_H
#define JOB_LIVE_H

#include <jansson.h>

/*
 * From the end of a file: its last complete line that is an interval (JSON), or any line. A new
 * reference: the interval, or {"progress": TEXT} without secrets; NULL: there is none.
 */
json_t *job_live_interval(const char *path);
json_t *job_live_progress(const char *path);

#endif
