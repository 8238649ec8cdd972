/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines of the database servers, of which node_exporters return metrics
 * (--machine-metrics). */
#ifndef SQL_MACHINES_H
#define SQL_MACHINES_H

#include "stats/probe.h"

/* Checks the value of the option. Returns NULL if it is valid, otherwise what is allowed. */
const char *sql_machines_check(const char *value);

/* Adds a source for each address: "machine", "machine2" … `urls` ends with NULL; it may be NULL. */
void sql_machines_add(struct probes *probes, char *const *urls);

#endif
