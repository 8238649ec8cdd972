/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The judgement on a result: how far it can be trusted, whether it meets the objectives, and the
 * exit code of the program. The functions use nothing but their arguments.
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
    int exit_code; /* exit code if the result can be presented: see judgement_exit_code() */
};

/* Judges a result. The judgement has pointers into *result, which must outlive it. */
struct judgement judgement_of(const struct result *result);

/* Judges a result when it is known how far it can be trusted. The judgement has the pointers of
 * *trust, too. */
struct judgement judgement_with(const struct result *result, const struct trust *trust);

/* Adds a finding to the verdict if the workload's own audit has failures. */
void judgement_add_remarks(struct judgement *judgement, const struct settings *settings,
                           const struct remarks *remarks);

/*
 * Returns the exit code (exit_codes.h). The most serious of these decides: the run failed or was
 * ended by a signal; the result could not be presented; the end of the run was forced; the result
 * cannot be trusted (with --strict); an objective was missed.
 */
int judgement_exit_code(const struct judgement *judgement, bool presented);

/* Returns why the run ended, as reports name it: "time", "events", "script", "signal",
 * "queue_full", "slo", "error" or "forced_shutdown". */
const char *judgement_end_name(const struct ending *ending);

#endif
