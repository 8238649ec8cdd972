/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Prometheus and its relatives scrape: the text of OpenMetrics 1.0. Times are in seconds. */
#ifndef OPENMETRICS_H
#define OPENMETRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "output.h"
#include "stats.h"

#define OPENMETRICS_CONTENT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* `total`: all since the start, warm-up included, so that counters never fall. `timed`: at an
 * arrival rate. */
void openmetrics_print(FILE *out, const struct snapshot *total, struct gauges gauges, bool timed);

#endif
