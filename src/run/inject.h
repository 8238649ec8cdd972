/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Injections: statements and commands that are executed at given moments of a run (inject_plan.h),
 * each in a thread that does nothing else. Whatever they do, the run goes on: their output is taken
 * from them, and at the end of the run those that still run are ended, or left alone when that
 * takes too long.
 *
 * Used by the thread that controls the run.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/workload.h"
#include "options/settings.h"
#include "report/live/outputs.h"
#include "result/injection.h"
#include "stats/spans.h"

struct inject;

/*
 * *inject is NULL when the settings ask for no injection; all functions take NULL, too. `notify` is
 * called by any thread when one has begun or ended. −1 after a logged message: the workload cannot
 * do what is asked for, or no descriptor is left.
 */
int inject_create(struct inject **inject, const struct settings *settings, struct workload workload,
                  void (*notify)(void *arg));
/* Not when inject_finish() has left one behind. */
void inject_destroy(struct inject *inject);

/* What it needs to see of what is drained. */
void inject_listen(struct inject *inject, struct outputs *outputs);

/* The run begins at `start_ns`, the measured part at `measure_ns`. */
void inject_begin(struct inject *inject, int64_t start_ns, int64_t measure_ns);
/* Of inject_begin(); NULL before. For the workers and the end of the run. */
struct spans *inject_spans(struct inject *inject);

/* When the next is due (CLOCK_MONOTONIC); INT64_MAX: no more. */
int64_t inject_next_ns(const struct inject *inject);

/* Starts what is due, and tells of what has begun and ended since the last call. */
void inject_step(struct inject *inject, int64_t now_ns);

/* The run is over: nothing begins any more, and what runs shall end. Does not wait. */
void inject_stop(struct inject *inject);
/*
 * Waits for that, some 5 s after inject_stop() at most. False: one was left alone, and uses memory
 * that must not be freed.
 */
bool inject_finish(struct inject *inject);

/*
 * After that and when all requests are in the spans: what became of each. They belong to `inject`.
 */
const struct injection *inject_results(struct inject *inject, int64_t end_ns, unsigned *count);

#endif
