/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The phases of a changing arrival rate: response times of the requests that arrived in each. */
#ifndef RUN_PHASES_H
#define RUN_PHASES_H

#include "result/rate_phase.h"
#include "run/run_state.h"

/* Creates the spans of the phases for the workers, if the rate has phases, and if this process
 * receives all arrivals. Call it after the times of the run were set. */
void run_phases_begin(struct run *run);
/* Returns the phases of the measured part, or NULL if there are no phases. Call it after the run,
 * when all requests are accounted for. The caller frees them with rate_phases_free(). */
struct rate_phase *run_phases_finish(struct run *run, unsigned *count);
/* Frees the spans. */
void run_phases_fini(struct run *run);

#endif
