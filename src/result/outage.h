/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans of a run in which requests were pending and none was completed, for reports. All times are
 * since the start of the run, or since the beginning of the outage where their names say "after".
 */
#ifndef OUTAGE_H
#define OUTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/targets.h"

/* The percentile that is waited for. */
#define OUTAGE_PERCENTILE (99 * PERCENT)
/* Shorter ones are none; nor are those that are shorter than so many median response times. */
#define OUTAGE_FLOOR_NS NS_PER_SEC
#define OUTAGE_MEDIANS 10

struct outage {
    char host[TARGET_NAME_BYTES]; /* "": of the whole run */
    int64_t from_ns, to_ns;       /* the first request behind it was completed just after to_ns */
    bool ended;                   /* false: the run ended first */
    uint64_t lost;                /* requests that failed or were dropped meanwhile */
    int64_t level_ns;             /* of the percentile before; −1: not known */
    int64_t back_after_ns;      /* until the percentile was there again; −1: not, or not known */
    unsigned disconnected;      /* most connections that were missing at a time */
    int64_t connected_after_ns; /* until none was; −1: never, or none was missing */
};

struct outages {
    struct outage *list; /* in the order of their beginnings */
    unsigned count;
    int64_t threshold_ns; /* none is shorter */
    int64_t window_ns;    /* times of the list are right to within this */
};

#endif
