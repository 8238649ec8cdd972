/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes the state of a run, in total and for each host, to the outage watch. */
#ifndef RUN_OUTAGES_H
#define RUN_OUTAGES_H

#include "run/run_state.h"

/* Starts the outage watch. `window_ns` is the length of its windows. */
void run_outages_begin(struct run *run, int64_t window_ns);
/*
 * Ends a window at `now_ns` after the start of the run. Records must have been drained just before.
 */
void run_outages_look(struct run *run, int64_t now_ns);
/* Returns the list of outages. To be called after the run, when all requests are accounted for. The
 * caller frees the list. */
struct outages run_outages_finish(struct run *run);

#endif
