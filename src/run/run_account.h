/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of every request of a run that is over. */
#ifndef RUN_ACCOUNT_H
#define RUN_ACCOUNT_H

#include "result/summary.h"
#include "run/run_state.h"

/*
 * When workers, but for those that are stuck, and the generator have ended: takes what is left in
 * the queue, collects for the last time, and records what was not completed, with its age at
 * `now_ns` (CLOCK_MONOTONIC), as lower bounds.
 */
struct requests run_account(struct run *run, int64_t now_ns);

#endif
