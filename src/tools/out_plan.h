/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of a tool that makes many runs: a JSON file in its output folder (out_folder.h), with
 * everything that determines the runs. A later call continues only if its plan is the same.
 */
#ifndef OUT_PLAN_H
#define OUT_PLAN_H

#include <jansson.h>
#include <stdbool.h>

/* Stores in *plan the plan of an earlier call, a new reference, or NULL if the folder has no plan.
 * Returns −1 after a logged message if the file cannot be used. */
int out_plan_read(const char *folder, const char *name, json_t **plan);

/*
 * Checks that `now` is the same plan as `old`, the result of out_plan_read(). If there is no old
 * plan, writes `now` to the folder, which must be empty. If `replaceable` is true, another plan
 * replaces the old one. `user`, such as "sweep", names the contents of the folder for messages.
 * Returns −1 after a logged message, which names the first difference of the plans.
 */
int out_plan_settle(const char *folder, const char *name, const char *user, const json_t *old,
                    const json_t *now, bool replaceable);

#endif
