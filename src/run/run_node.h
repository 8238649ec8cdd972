/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rank that runs by itself (--node): when it begins, and what its JSON report holds for `sysrate
 * merge` to make one report of those of all ranks.
 */
#ifndef RUN_NODE_H
#define RUN_NODE_H

#include <stdint.h>

#include "document/report_json.h"
#include "output/output.h"
#include "result/result.h"

/*
 * Waits for what --start-at names, but for the last moment. *start_ns (CLOCK_MONOTONIC) gets when
 * the run is to begin: then, or now without the option. −1: a signal came, or, after a logged
 * message, it is too late.
 */
int run_node_wait(const struct settings *settings, int64_t *start_ns);

struct run_node;

/* NULL: this is no such rank, or there is no report to hold it. `settings` must outlive it. */
struct run_node *run_node_create(const struct settings *settings, const struct report_json *json);
/* NULL is harmless, here and below. */
void run_node_destroy(struct run_node *node);
/* For outputs_add(): notes intervals and checkpoints. */
struct output run_node_output(struct run_node *node);
/* The run begins at `start_ns` (CLOCK_MONOTONIC), before the first interval. */
void run_node_begin(struct run_node *node, int64_t start_ns);
/* The run has ended: becomes "node" and "spool" of the report. */
void run_node_finish(struct run_node *node, const struct result *result, struct report_json *json);

#endif
