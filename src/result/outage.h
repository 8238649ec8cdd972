/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outages, for reports: spans of a run in which requests were pending and none was completed. All
 * times are in nanoseconds since the start of the run, or since the beginning of the outage if
 * their names have "after".
 */
#ifndef OUTAGE_H
#define OUTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "result/waits/wait_span.h"
#include "stats/targets.h"

/* The percentile of response times by which the recovery from an outage is judged. */
#define OUTAGE_PERCENTILE (99 * PERCENT)
/*
 * Length of the shortest outage. An outage is also at least OUTAGE_MEDIANS median response times
 * long. If an outage is shorter than OUTAGE_LONG_NS, the response times of the run must show that
 * chance does not explain it (outage_limit.h).
 */
#define OUTAGE_FLOOR_NS (NS_PER_SEC / 4)
#define OUTAGE_LONG_NS NS_PER_SEC
#define OUTAGE_MEDIANS 10

struct outage {
    char host[TARGET_NAME_BYTES]; /* host that had the outage; "" for the whole run */
    /* Start and end; the first request after the outage was completed just after to_ns. */
    int64_t from_ns, to_ns;
    bool ended;       /* false if the run ended before the outage */
    uint64_t lost;    /* requests that failed or were dropped during the outage */
    int64_t level_ns; /* level of the percentile before the outage; −1 if not known */
    /* When the percentile was back at this level; −1 if it was not, or if this is not known. */
    int64_t back_after_ns;
    unsigned disconnected; /* largest number of connections that were missing at a time */
    /* When no connection was missing; −1 if some stayed missing or all were always there. */
    int64_t connected_after_ns;
    struct wait_span waits; /* `names` is NULL if waits were not sampled */
};

struct outages {
    struct outage *list; /* list of the outages, sorted by beginning */
    unsigned count;
    int64_t threshold_ns; /* length of the shortest outage that is reported */
    /* Length from which chance does not explain an outage of the whole run; −1 if the run has too
     * few requests to know. */
    int64_t sure_ns;
    int64_t window_ns;    /* accuracy of the times in the list */
};

#endif
