/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how old the data is that replicas return (--staleness).
 *
 * A thread updates a marker row of the primary in regular steps and notes when each commit was
 * acknowledged. A thread for each read host reads the row. If the row that it returns lacks markers
 * that were acknowledged before the read began, then the age of the data is the time from the
 * acknowledgement of the first of these markers to the beginning of the read; otherwise the age is
 * 0. All times are of the client's clock. The age is a lower bound: the first change that the
 * replica lacks is up to one step older than the first marker that it lacks.
 */
#ifndef STALENESS_H
#define STALENESS_H

#include "engine/workload.h"

#define STALENESS_TABLE "sysrate_marker"

/* The `server` of its operations is a struct sql. */
extern const struct staleness_source sql_staleness_source;

#endif
