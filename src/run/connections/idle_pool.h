/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections that do nothing (--idle-connections), beside those of the workers. One thread opens
 * them after the start of the run, at most --connect-rate per second, notices when the server
 * closes one, and opens another in its place. After an attempt that failed, the thread pauses
 * before the next attempt, longer each time, up to a second.
 *
 * The lock of the pool guards the seats, one for each connection, and the counts. A connection is
 * used by one thread at a time: by that of the pool, or by a storm, which takes it out of its seat.
 */
#ifndef IDLE_POOL_H
#define IDLE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/workload.h"
#include "options/settings.h"
#include "result/connections/idle_counts.h"
#include "stats/stats.h"

struct idle_pool;

/*
 * Prepares the connections of the settings. *pool is set to NULL if there are none; all functions
 * accept NULL. Returns −1 after logging a message if the workload cannot open such connections, or
 * if the limit on open files is too low.
 */
int idle_pool_create(struct idle_pool **pool, const struct settings *settings,
                     const struct workload *workload, struct stats *stats);
/* Starts the thread. `measure_ns` is the start of the measured part (CLOCK_MONOTONIC). Returns −1
 * after logging a message. */
int idle_pool_start(struct idle_pool *pool, int64_t measure_ns);
/* Notes the counts at the end of the run, ends the thread and closes the connections. Waits for a
 * connect or a statement in progress, at most some seconds. */
void idle_pool_stop(struct idle_pool *pool);
/* To be called after idle_pool_stop(), and when no storm is in progress. */
void idle_pool_destroy(struct idle_pool *pool);

/* Returns the counts of now, or those of idle_pool_stop(). Any thread may call it. */
struct idle_counts idle_pool_counts(struct idle_pool *pool);

/* Closes `count` connections at once and opens them again, in many threads. Returns when each has
 * been tried, or soon after *stopping has become true. Any thread may call it. */
struct idle_storm idle_pool_storm(struct idle_pool *pool, uint64_t count,
                                  const atomic_bool *stopping);

#endif
