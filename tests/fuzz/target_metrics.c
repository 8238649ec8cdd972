/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target for the metrics of a node_exporter, which --machine-metrics reads over HTTP. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "fuzz.h"
#include "stats/host.h"
#include "stats/machine/metrics_text.h"
#include "stats/machine/node_metrics.h"

/* The input is copied, so that a sanitizer finds reads beyond its end. */
static void run_metrics(const uint8_t *data, size_t bytes)
{
    char *text = xcalloc(1, bytes > 0 ? bytes : 1);
    const char *end = text + bytes;
    double value[PROBE_VALUES];
    struct metric m;
    memcpy(text, data, bytes);
    for (const char *at = text; metrics_next(&at, end, &m);) {
        FUZZ_CHECK(m.name >= text && m.name_bytes > 0 && m.name + m.name_bytes < end);
        FUZZ_CHECK(m.labels == NULL || m.labels > m.name);
        FUZZ_CHECK(m.labels == NULL || m.labels + m.labels_bytes < end);
        FUZZ_CHECK(!metric_has(&m, "mode", "idle", true) || metric_has(&m, "mode", "id", false));
        FUZZ_CHECK(at > m.name && at <= end);
    }
    for (unsigned i = 0; i < PROBE_VALUES; i++)
        value[i] = NAN;
    FUZZ_CHECK(node_metrics_read(text, bytes, value) == !isnan(value[HOST_CPU_TOTAL]));
    free(text);
}

const struct fuzz_target fuzz_metrics = {.name = "metrics", .run = run_metrics};
