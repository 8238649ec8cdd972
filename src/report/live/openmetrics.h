/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Prometheus and its relatives read. Times are in seconds. */
#ifndef OPENMETRICS_H
#define OPENMETRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/live/output.h"
#include "stats/snapshot.h"

#define OPENMETRICS_CONTENT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

enum metrics_format {
    METRICS_OPENMETRICS, /* OpenMetrics 1.0, as it is scraped */
    METRICS_CLASSIC      /* Prometheus' text format 0.0.4: what node_exporter takes from files */
};

/* `total`: all since the start, warm-up included, so that counters never fall. `timed`: at an
 * arrival rate. */
void openmetrics_print(FILE *stream, enum metrics_format format, const struct snapshot *total,
                       struct gauges gauges, bool timed);

#endif
