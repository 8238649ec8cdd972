/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the values of a machine (stats/host.h) in the metrics of a node_exporter. */
#ifndef NODE_METRICS_H
#define NODE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

/* Adds the values in `text` to value[], which has PROBE_VALUES values that are all NAN. Returns
 * false if the text has no CPU times, so it is not that of a node_exporter. */
bool node_metrics_read(const char *text, size_t bytes, double *value);

#endif
