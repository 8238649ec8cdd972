/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the law of the arrivals in a log instead of replaying it: --arrival-law. */
#ifndef REPLAY_LAW_H
#define REPLAY_LAW_H

#include "workloads/replay/timeline.h"

/*
 * Reads the log of the plan twice and prints its law on standard output; times are divided by
 * `speed`. If `json_path` is not NULL, the law is also written to this file as JSON. Returns −1
 * after a logged message.
 */
int replay_law_print(const struct timeline_plan *plan, double speed, const char *json_path);

#endif
