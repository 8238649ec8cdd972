/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times to connect to a server as text. */
#ifndef REPORT_CONNECTS_H
#define REPORT_CONNECTS_H

#include <stdio.h>

#include "result/connections/idle_counts.h"
#include "stats/connects/connects.h"

/* Writes one line, or nothing if there were no attempts to connect. */
void report_connects(FILE *out, const struct connect_totals *connects);
/* Writes one line about the ages of data of replicas, or nothing if no replica was read. */
void report_staleness(FILE *out, const struct connect_totals *staleness);

/* Writes what became of the idle connections, or nothing if there were none. */
void report_idle(FILE *out, const struct idle_counts *idle);

#endif
