/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the latest progress of a job from the files that its process is writing. */
#ifndef JOB_LIVE_H
#define JOB_LIVE_H

#include <jansson.h>

/*
 * job_live_interval() returns the last complete line of a file that is an interval of a JSON
 * report.
 * job_live_progress() returns its last complete line as {"progress": TEXT}, with secrets masked.
 * Both return a new reference, or NULL if there is no such line.
 */
json_t *job_live_interval(const char *path);
json_t *job_live_progress(const char *path);

#endif
