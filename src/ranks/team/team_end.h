/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a run on several ranks: one result of all. */
#ifndef TEAM_END_H
#define TEAM_END_H

#include "ranks/team/team.h"
#include "report/json/report_json.h"
#include "result/result.h"

/*
 * Hands over this rank's result. `json` is the report begun at the start of the run, or NULL if no
 * JSON report was requested. Rank 0 merges the results of all ranks, presents the merged result and
 * returns the exit code; for a lost rank it uses the ticks received before the loss. Other ranks
 * return EXIT_WELL, because rank 0 determines the exit code of the run.
 */
int team_report(struct team *team, const struct result *own, const struct report_json *json);

#endif
