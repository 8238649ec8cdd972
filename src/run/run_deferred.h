/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deferred work in a run: the executors, which begin and end with the workers. If the workload
 * defers no work, there are no executors, and these functions do nothing.
 */
#ifndef RUN_DEFERRED_H
#define RUN_DEFERRED_H

#include "run/run_state.h"

/* Returns the number of executors that the run will have. */
unsigned run_deferred_threads(const struct run_setup *setup);
/* To be called after the pool of the workers was filled in. */
void run_deferred_init(struct run *run);
void run_deferred_fini(struct run *run);

/* Starts the executors, which wait at their gate. Returns −1 after logging a message. */
int run_deferred_start(struct run *run);
/* Passes the times of the run to the executors. */
void run_deferred_begin(struct run *run);
void run_deferred_gate(struct run *run, enum gate gate);

/*
 * After the end of the run, when all workers have left: executors finish the waiting work for as
 * long as --drain allows, and then leave too.
 */
void run_deferred_step(struct run *run, int64_t now_ns);
/* Returns when run_deferred_step() must be called again at the latest; INT64_MAX if that is not
 * needed. */
int64_t run_deferred_next_ns(const struct run *run, int64_t now_ns);
/* Makes executors take no more work. */
void run_deferred_end(struct run *run);

/* Copies the work that executors have in service to `held`, which has room for one entry per
 * executor. Returns the number of entries. They are consistent with a snapshot that is taken while
 * no worker or executor begins or ends an event. */
unsigned run_deferred_held(const struct run *run, struct deferred_entry *held);
/* After the last snapshot: records the unfinished work, that is the `held` entries of the executors
 * and the waiting ones. */
void run_deferred_account(struct run *run, const struct deferred_entry *held, unsigned count,
                          int64_t now_ns);

#endif
