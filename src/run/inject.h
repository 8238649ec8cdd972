/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Injections: statements and commands that are executed at given moments of a run (inject_plan.h),
 * each in a thread of its own. They cannot stop the run: their output is read continuously, and at
 * the end of the run, those that are still running are ended, or left alone if that takes too long.
 *
 * To be used by the controlling thread.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/workload.h"
#include "options/settings.h"
#include "report/live/outputs.h"
#include "result/injection.h"
#include "run/connections/idle_pool.h"
#include "stats/spans.h"

struct inject;

/*
 * Prepares the injections of the settings. *inject is set to NULL if no injection is asked for; all
 * functions accept NULL. `notify` is called by any thread when an injection has begun or ended.
 * Returns −1 after logging a message if the workload cannot execute an injection, or if no
 * descriptor is left.
 */
int inject_create(struct inject **inject, const struct settings *settings, struct workload workload,
                  void (*notify)(void *arg));
/* Must not be called if inject_finish() has returned false. */
void inject_destroy(struct inject *inject);

/* Sets the connections for storms, and the statistics that record the times to connect. Call it
 * before inject_begin(). */
void inject_use(struct inject *inject, struct idle_pool *idle, struct stats *stats);

/* Adds an output that passes the recorded response times to the injections. */
void inject_listen(struct inject *inject, struct outputs *outputs);

/* Sets the start of the run and of the measured part (CLOCK_MONOTONIC). */
void inject_begin(struct inject *inject, int64_t start_ns, int64_t measure_ns);
/* Returns the spans that inject_begin() has created, or NULL before. For the workers and for the
 * end of the run. */
struct spans *inject_spans(struct inject *inject);

/* Returns when the next injection is due (CLOCK_MONOTONIC); INT64_MAX if there are no more. */
int64_t inject_next_ns(const struct inject *inject);

/* Starts the injections that are due, and reports those that have begun or ended since the last
 * call. */
void inject_step(struct inject *inject, int64_t now_ns);

/* At the end of the run: no injection begins any longer, and running ones are asked to end. Does
 * not wait. */
void inject_stop(struct inject *inject);
/*
 * Waits until the injections have ended, for at most INJECT_PATIENCE_NS (5 s) after inject_stop().
 * Returns false if an injection was left alone; its thread uses memory that must not be freed.
 */
bool inject_finish(struct inject *inject);

/*
 * Returns the results of all injections, which belong to `inject`. To be called after
 * inject_finish(), when all requests are in the spans. `end_ns` is the end of the run
 * (CLOCK_MONOTONIC).
 */
struct injection *inject_results(struct inject *inject, int64_t end_ns, unsigned *count);

#endif
