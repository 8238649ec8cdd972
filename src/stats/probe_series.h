/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that say which figures are shown of a probe source (probe.h). Each sample of a source is
 * an array of values. A series is a figure computed from one or two of these values. Drivers define
 * the tables, probe_sums.h computes the figures, and reports print them as text and columns.
 */
#ifndef PROBE_SERIES_H
#define PROBE_SERIES_H

#include <stdbool.h>
#include <stddef.h>

/* Largest number of values in a sample, of series in a table, and of kinds of work in a table. */
#define PROBE_VALUES 40
#define PROBE_SERIES 32
#define PROBE_WORKS 10

enum probe_kind {
    PROBE_LEVEL, /* mean of the value over the samples */
    PROBE_RATE,  /* growth per second of a value that only grows */
    PROBE_SHARE, /* growth of `value` in percent of the growth of `per` */
    PROBE_REST,  /* 100 % minus PROBE_SHARE */
};

/* The same table serves the server under load (PROBE_MAIN) and its replicas (PROBE_FOLLOWER), but a
 * series may be printed in another line of text for each. */
enum probe_role { PROBE_MAIN, PROBE_FOLLOWER, PROBE_ROLES };

struct probe_series {
    const char *name;  /* name in JSON and CSV, with the unit at its end: "rows_updated_per_s" */
    const char *label; /* name in text reports: "upd/s" */
    const char *chart; /* heading of the chart that shows the series */
    enum probe_kind kind;
    unsigned char value, per;        /* indices of the values */
    unsigned char line[PROBE_ROLES]; /* line in text reports, from 1; 0 if it is in no line */
    double unit;                     /* divisor of the figure; 0 means 1 */
    bool late; /* the source may count late what sessions have done (probe_table.held) */
};

/* A value that only grows, of which reports show the growth per completed request. */
struct probe_work {
    const char *name; /* name in JSON, with its unit: "log_bytes" */
    unsigned char value;
    double unit; /* divisor of the growth */
};

struct probe_table {
    const struct probe_series *series;
    size_t count; /* number of series; at most PROBE_SERIES */
    /* Index of the share of sessions (0 to 1) whose counts the source does not have yet because a
     * transaction goes on; 0 if the source always counts at once. */
    unsigned char held;
    const struct probe_work *work;
    size_t works; /* number of kinds of work; at most PROBE_WORKS */
};

#endif
