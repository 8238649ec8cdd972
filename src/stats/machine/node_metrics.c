/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/machine/node_metrics.h"

#include <math.h>

#include "base/util.h"
#include "stats/host.h"
#include "stats/machine/metrics_text.h"

static void add(double *value, double x)
{
    *value = (isnan(*value) ? 0 : *value) + x;
}

static void add_cpu(const struct metric *m, double *value)
{
    const double ns = m->value * (double)NS_PER_SEC;
    const bool idle = metric_has(m, "mode", "idle", true) || metric_has(m, "mode", "iowait", true);
    const bool steal = metric_has(m, "mode", "steal", true);
    add(&value[HOST_CPU_TOTAL], ns);
    add(&value[HOST_CPU_IDLE], idle ? ns : 0);
    add(&value[HOST_CPU_STEAL], steal ? ns : 0);
    add(&value[HOST_CPU_USED], idle || steal ? 0 : ns);
}

/* Returns true for whole disks only: input and output of a mapped device or an array also count for
 * its disks. The exporter itself leaves out partitions and loop devices. */
static bool is_disk(const struct metric *m)
{
    return !metric_has(m, "device", "dm-", false) && !metric_has(m, "device", "md", false) &&
           !metric_has(m, "device", "zram", false);
}

static void add_metric(const struct metric *m, double *value)
{
    static const struct {
        const char *name;
        unsigned char value;
        bool of_disk;
        double unit;
    } names[] = {
        {"node_context_switches_total", HOST_SWITCHES, false, 1},
        {"node_load1", HOST_LOAD, false, 1},
        {"node_disk_read_bytes_total", HOST_DISK_READ, true, 1},
        {"node_disk_written_bytes_total", HOST_DISK_WRITTEN, true, 1},
        {"node_disk_io_time_seconds_total", HOST_DISK_BUSY, true, 1000},
    };
    if (metric_is(m, "node_cpu_seconds_total"))
        add_cpu(m, value);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (metric_is(m, names[i].name) && (!names[i].of_disk || is_disk(m)))
            add(&value[names[i].value], m->value * names[i].unit);
}

bool node_metrics_read(const char *text, size_t bytes, double *value)
{
    const char *end = text + bytes;
    struct metric metric;
    while (metrics_next(&text, end, &metric))
        if (isfinite(metric.value))
            add_metric(&metric, value);
    return !isnan(value[HOST_CPU_TOTAL]);
}
