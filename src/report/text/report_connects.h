/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times to connect to a server and waits for a connection as text. */
#ifndef REPORT_CONNECTS_H
#define REPORT_CONNECTS_H

#include <stdio.h>

#include "result/connections/idle_counts.h"
#include "stats/snapshot.h"

/* Writes a line about the attempts to connect, if there were any, and one about the waits for a
 * connection, if workers shared connections. */
void report_connects(FILE *out, const struct snapshot *total);
/* Writes one line about the ages of data of replicas, or nothing if no replica was read. */
void report_staleness(FILE *out, const struct connect_totals *staleness);

/* Writes what became of the idle connections, or nothing if there were none. */
void report_idle(FILE *out, const struct idle_counts *idle);

#endif
