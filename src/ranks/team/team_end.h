/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a run on several ranks: one result of all. */
#ifndef TEAM_END_H
#define TEAM_END_H

#include "ranks/team/team.h"
#include "report/json/report_json.h"
#include "result/result.h"

/*
 * Hands over this rank's result; `json` is the report as it was begun (NULL: none was asked for).
 * Rank 0 then puts all together and presents it, and returns the exit code; of a rank that is lost,
 * what it had told counts. The others return EXIT_WELL: theirs is what rank 0 says.
 */
int team_report(struct team *team, const struct result *own, const struct report_json *json);

#endif
