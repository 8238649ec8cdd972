/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the watch for outages is told of a run: how things stand in all and at each host. */
#ifndef RUN_OUTAGES_H
#define RUN_OUTAGES_H

#include "run/run_state.h"

/* The run begins; its windows are so long. */
void run_outages_begin(struct run *run, int64_t window_ns);
/* A window ends, `now_ns` after the start, and what was recorded in it was just drained. */
void run_outages_look(struct run *run, int64_t now_ns);
/* The run is over, and all is accounted for. The caller frees the list. */
struct outages run_outages_finish(struct run *run);

#endif
