/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts all requests at the end of a run. */
#ifndef RUN_ACCOUNT_H
#define RUN_ACCOUNT_H

#include "result/summary.h"
#include "run/run_state.h"

/*
 * To be called when the generator and all workers that are not stuck have ended. Empties the queue,
 * collects for the last time, and records unfinished requests with their age at `now_ns`
 * (CLOCK_MONOTONIC) as lower bounds. Returns the counts.
 */
struct requests run_account(struct run *run, int64_t now_ns);

#endif
