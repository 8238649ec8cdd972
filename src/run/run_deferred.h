/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deferred work in a run: its executors, which begin and end with the workers. Where the workload
 * defers nothing, there are none, and all of these do nothing.
 */
#ifndef RUN_DEFERRED_H
#define RUN_DEFERRED_H

#include "run/run_state.h"

/* How many executors the run is to have. */
unsigned run_deferred_threads(const struct run_setup *setup);
/* After the workers' pool has been filled in. */
void run_deferred_init(struct run *run);
void run_deferred_fini(struct run *run);

/* Starts the executors, which wait at their gate. −1 after a logged message. */
int run_deferred_start(struct run *run);
/* The times of the run are known. */
void run_deferred_begin(struct run *run);
void run_deferred_gate(struct run *run, enum gate gate);

/*
 * The run has ended: when all workers have left, executors work off what waits as long as --drain
 * says, and then leave, too.
 */
void run_deferred_step(struct run *run, int64_t now_ns);
/* When that needs another call, at the latest; INT64_MAX: it does not. */
int64_t run_deferred_next_ns(const struct run *run, int64_t now_ns);
/* Executors take nothing more. */
void run_deferred_end(struct run *run);

/* What executors have in service, of which there is room for one each; how many these are. It goes
 * with a snapshot that is taken while neither workers nor executors begin or end anything. */
unsigned run_deferred_held(const struct run *run, struct deferred_entry *held);
/* After the last snapshot: counts what was not done, that is what executors held at that moment,
 * and what waits. */
void run_deferred_account(struct run *run, const struct deferred_entry *held, unsigned count,
                          int64_t now_ns);

#endif
