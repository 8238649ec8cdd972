/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a result is worth: how far it can be trusted, whether it meets the objectives, and what the
 * program ends with. Pure functions of a result.
 */
#ifndef JUDGEMENT_H
#define JUDGEMENT_H

#include <stdbool.h>

#include "result/result.h"
#include "result/slo_judge.h"
#include "result/tally_audit.h"
#include "result/verdict.h"

struct judgement {
    struct trust trust;
    struct slo_judgement slo;
    int exit_code; /* when the result can be presented as well: see judgement_exit_code() */
};

/* Refers to *result. */
struct judgement judgement_of(const struct result *result);

/* The same where it is known how far the result can be trusted. Refers to what *trust does, too. */
struct judgement judgement_with(const struct result *result, const struct trust *trust);

/* What the workload's own audit has found is a finding of the verdict: takes that in. */
void judgement_add_remarks(struct judgement *judgement, const struct settings *settings,
                           const struct remarks *remarks);

/*
 * The exit code (exit_codes.h), where one thing is worse than another: how the run ended; that the
 * result could not be presented; that it cannot be trusted (with --strict); that it misses an
 * objective.
 */
int judgement_exit_code(const struct judgement *judgement, bool presented);

/* Why the run ended, as reports say it: "time", "events", "script", "signal", "queue_full", "slo",
 * "error", "forced_shutdown". */
const char *judgement_end_name(const struct ending *ending);

#endif
