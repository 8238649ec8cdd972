/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something that is watched while a run goes on gives values; series are what is shown of them.
 * Tables only: drivers have them, probe.h samples and reports make words and columns of them.
 */
#ifndef PROBE_SERIES_H
#define PROBE_SERIES_H

#include <stddef.h>

/* Most values that one sample has, and most series that are made of them. */
#define PROBE_VALUES 40
#define PROBE_SERIES 32

enum probe_kind {
    PROBE_LEVEL, /* the value itself, the mean over the samples */
    PROBE_RATE,  /* of a value that only grows: per second */
    PROBE_SHARE, /* of two values that only grow: the percentage value / per */
    PROBE_REST,  /* of two values that only grow: what the percentage leaves of 100 */
};

/*
 * The same table serves what the load goes to and what follows it: which line of text a series
 * stands in differs.
 */
enum probe_role { PROBE_MAIN, PROBE_FOLLOWER, PROBE_ROLES };

struct probe_series {
    const char *name;  /* in JSON and CSV, with its unit at the end: "rows_updated_per_s" */
    const char *label; /* in the text: "upd/s" */
    const char *chart; /* the heading of the chart that it is drawn in */
    enum probe_kind kind;
    unsigned char value, per;        /* which of the values */
    unsigned char line[PROBE_ROLES]; /* of the text, from 1; 0: in none */
    double unit;                     /* divides the figure; 0: 1 */
};

struct probe_table {
    const struct probe_series *series;
    size_t count; /* ≤ PROBE_SERIES */
};

#endif
