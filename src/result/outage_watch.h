/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds outages (docs/definitions.md defines them) while a run goes on. Looks at the ends of
 * windows: how much was completed, and whether something was pending, in the whole run and at each
 * host. Nothing is asked of workers. All times are since the start of the run; one thread, the
 * reporter's.
 */
#ifndef OUTAGE_WATCH_H
#define OUTAGE_WATCH_H

#include "options/settings.h"
#include "result/outage.h"
#include "stats/snapshot.h"

struct outage_watch;

/* `window_ns`: how far the looks are apart. */
struct outage_watch *outage_watch_create(const struct settings *settings, int64_t window_ns);
void outage_watch_destroy(struct outage_watch *w);

/* What was drained; sums alone will do, but percentiles are made of times. */
void outage_watch_collect(struct outage_watch *w, const struct snapshot *recorded);
/* Whether it is time to drain times too, for the percentiles. */
bool outage_watch_wants_times(const struct outage_watch *w, int64_t now_ns);

/* How things stand at one place at the end of a window. */
struct outage_state {
    const char *host;         /* NULL: the whole run, place 0 */
    uint64_t completed, lost; /* since the start */
    bool pending;             /* a request waits or is in service */
    unsigned disconnected;    /* connections that are missing */
    int64_t last_end_ns;      /* when the last event ended, completed or not */
};

/* The window that ends at `now_ns`: one look at each place (the run, and its targets behind it) …
 */
void outage_watch_look(struct outage_watch *w, int64_t now_ns, unsigned place,
                       const struct outage_state *state);
/* … and then this. `median_ns`: of all responses so far; 0: not known. */
void outage_watch_end_window(struct outage_watch *w, int64_t now_ns, int64_t median_ns);

/*
 * The run ended at `now_ns`; `lost` has for each place what was lost until all workers had left.
 * The caller frees the list.
 */
struct outages outage_watch_finish(struct outage_watch *w, int64_t now_ns, int64_t median_ns,
                                   const uint64_t *lost);

#endif
