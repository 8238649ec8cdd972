/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds outages (docs/definitions.md defines them) during a run. At the end of each window, it
 * looks at how many requests were completed and whether any was pending, in the whole run and for
 * each host. Workers do nothing for it. All times are in nanoseconds since the start of the run.
 * Used by the reporter's thread only.
 */
#ifndef OUTAGE_WATCH_H
#define OUTAGE_WATCH_H

#include "options/settings.h"
#include "result/outage.h"
#include "stats/snapshot.h"

struct outage_watch;

/* `window_ns` is the length of a window. */
struct outage_watch *outage_watch_create(const struct settings *settings, int64_t window_ns);
void outage_watch_destroy(struct outage_watch *w);

/* Adds records that were drained. They may consist of sums only (stats_drain_sums()), but the
 * percentiles are computed from times. */
void outage_watch_collect(struct outage_watch *w, const struct snapshot *recorded);
/* Returns true if times should be drained as well now (stats_drain()), for the percentiles. */
bool outage_watch_wants_times(const struct outage_watch *w, int64_t now_ns);

/* Number of places: the whole run, and its hosts. */
#define OUTAGE_PLACES (1 + TARGETS)

/* The state of the whole run, or of one host, at the end of a window. */
struct outage_state {
    const char *host;         /* name of the host; NULL for the whole run */
    uint64_t completed, lost; /* requests completed and lost since the start of the run */
    uint64_t pending;         /* number of requests that wait or are in service */
    unsigned disconnected;    /* number of missing connections */
    int64_t last_end_ns;      /* end of the last event, completed or not */
};

/* Looks at one place in the window that ends at `now_ns`. Call it for each place: place 0 is the
 * whole run, place 1 + n is target n. Then call outage_watch_end_window(). */
void outage_watch_look(struct outage_watch *w, int64_t now_ns, unsigned place,
                       const struct outage_state *state);
/* Ends the window. `median_ns` has, for each place, the median of its response times up to now, or
 * 0 if not known. */
void outage_watch_end_window(struct outage_watch *w, int64_t now_ns, const int64_t *median_ns);

/* Returns the outages of a run that ended at `now_ns`. `measured` has the response times of the
 * measured part, of the run and of its targets. `median_ns` and `lost` have, for each place, the
 * median as above and the number of requests lost until all workers had ended. The caller frees the
 * list. */
struct outages outage_watch_finish(struct outage_watch *w, int64_t now_ns, const int64_t *median_ns,
                                   const struct snapshot *measured, const uint64_t *lost);

#endif
