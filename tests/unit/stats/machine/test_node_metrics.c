/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prometheus' text format, and the values of a machine in the metrics of a node_exporter. */
#include "stats/machine/node_metrics.h"

#include <math.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "stats/host.h"
#include "stats/machine/metrics_text.h"

static struct metric metric;

/* Reads the first sample of a text. */
static bool first(const char *text)
{
    const char *at = text;
    return metrics_next(&at, text + strlen(text), &metric);
}

START_TEST(forms_of_a_line)
{
    ck_assert(first("# HELP x text\n# TYPE x counter\n\nx 1.5e+06\n"));
    ck_assert(metric_is(&metric, "x"));
    ck_assert(!metric_is(&metric, "xy"));
    ck_assert_double_eq(metric.value, 1.5e6);
    ck_assert_ptr_null(metric.labels);
    ck_assert(first("x{} -3 1395066363000"));
    ck_assert_double_eq(metric.value, -3);
    ck_assert(first("  x { a = \"1\" , b=\"2\", } NaN\r\n"));
    ck_assert_double_nan(metric.value);
    ck_assert(metric_has(&metric, "b", "2", true));
    ck_assert(first("x{a=\"}\"} +Inf"));
    ck_assert_double_infinite(metric.value);
}
END_TEST

START_TEST(malformed_lines_are_skipped)
{
    static const char *const bad[] = {
        "x",           "x{",    "x{a=\"1\"", "x{a=1} 2", "x{a=\"} 2",   "x{a=\"\\\"} 2",
        "x{=\"1\"} 2", "x one", "{a=\"1\"}", "x 1x",     "x{a=\"1\" 2", "x{a=\"1\\"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_msg(!first(bad[i]), "%s", bad[i]);
    ck_assert(first("x{a=\"1\nx{a=\"2\"} 7\n"));
    ck_assert_double_eq(metric.value, 7);
}
END_TEST

START_TEST(labels)
{
    ck_assert(first("x{mode=\"idle\",path=\"C:\\\\D\\n\\\"E\\\"\"} 1"));
    ck_assert(metric_has(&metric, "mode", "idle", true));
    ck_assert(!metric_has(&metric, "mode", "id", true));
    ck_assert(metric_has(&metric, "mode", "id", false));
    ck_assert(!metric_has(&metric, "mode", "idles", false));
    ck_assert(!metric_has(&metric, "mod", "idle", true));
    ck_assert(metric_has(&metric, "path", "C:\\D\n\"E\"", true));
}
END_TEST

START_TEST(values_of_a_machine)
{
    static const char text[] = "node_cpu_guest_seconds_total{cpu=\"0\",mode=\"user\"} 50\n"
                               "node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 10\n"
                               "node_cpu_seconds_total{cpu=\"0\",mode=\"iowait\"} 1\n"
                               "node_cpu_seconds_total{cpu=\"0\",mode=\"steal\"} 2\n"
                               "node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 4\n"
                               "node_cpu_seconds_total{cpu=\"1\",mode=\"system\"} 3.5\n"
                               "node_context_switches_total 1.2e+07\n"
                               "node_disk_read_bytes_total{device=\"sda\"} 100\n"
                               "node_disk_read_bytes_total{device=\"sdb\"} 20\n"
                               "node_disk_read_bytes_total{device=\"dm-0\"} 120\n"
                               "node_disk_written_bytes_total{device=\"md127\"} 9\n"
                               "node_disk_io_time_seconds_total{device=\"sda\"} 1.5\n"
                               "node_load1 0.25\n";
    double value[PROBE_VALUES];
    for (unsigned i = 0; i < PROBE_VALUES; i++)
        value[i] = NAN;
    ck_assert(node_metrics_read(text, strlen(text), value));
    ck_assert_double_eq_tol(value[HOST_CPU_TOTAL], 20.5e9, 1);
    ck_assert_double_eq_tol(value[HOST_CPU_IDLE], 11e9, 1);
    ck_assert_double_eq_tol(value[HOST_CPU_STEAL], 2e9, 1);
    ck_assert_double_eq_tol(value[HOST_CPU_USED], 7.5e9, 1);
    ck_assert_double_nan(value[HOST_CPU_CLIENT]);
    ck_assert_double_eq(value[HOST_SWITCHES], 1.2e7);
    ck_assert_double_eq(value[HOST_DISK_READ], 120);
    ck_assert_double_nan(value[HOST_DISK_WRITTEN]);
    ck_assert_double_eq(value[HOST_DISK_BUSY], 1500);
    ck_assert_double_eq(value[HOST_LOAD], 0.25);
    ck_assert(!node_metrics_read("go_goroutines 8\n", 16, (double[PROBE_VALUES]){NAN}));
}
END_TEST

RUN_SUITE("node_metrics", 60, forms_of_a_line, malformed_lines_are_skipped, labels,
          values_of_a_machine)
