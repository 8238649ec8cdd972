/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints metrics in the text formats that Prometheus and compatible programs read. Times are in
 * seconds. */
#ifndef OPENMETRICS_H
#define OPENMETRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/live/output.h"
#include "stats/snapshot.h"

#define OPENMETRICS_CONTENT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

enum metrics_format {
    METRICS_OPENMETRICS, /* OpenMetrics 1.0, for scraping */
    METRICS_CLASSIC      /* Prometheus' text format 0.0.4, which node_exporter reads from files */
};

/* Prints all metrics. `total` is everything since the start, including the warm-up, so that
 * counters never decrease. `timed` is true at an arrival rate. */
void openmetrics_print(FILE *stream, enum metrics_format format, const struct snapshot *total,
                       struct gauges gauges, bool timed);

#endif
