/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts before the user what was measured: as text, or as what a hook of the workload makes of it;
 * as JSON and as a page; to the outputs. It needs no thread and nothing of a run: a result from
 * files can be presented as well as one from memory. One thread.
 */
#ifndef PRESENT_H
#define PRESENT_H

#include <stdbool.h>
#include <stdint.h>

#include "options/settings.h"
#include "report/json/report_json.h"
#include "report/live/outputs.h"
#include "report/text/report.h"
#include "report/workload_report.h"
#include "result/judgement.h"
#include "result/result.h"
#include "result/summary.h"

/* To whom it is presented, and how. All is lent. */
struct presenter {
    const struct settings *settings;
    struct reported_workload workload;
    bool text;                /* the verbosity lets reports through */
    struct report_json *json; /* NULL: not asked for */
    struct outputs *outputs;
};

struct presenter presenter_of(const struct settings *settings, struct reported_workload workload,
                              struct report_json *json, struct outputs *outputs);

/* Before the run. */
void present_header(const struct presenter *p);
/* While it goes on. */
void present_interval(const struct presenter *p, const struct interval *interval);
/* Whether a hook has asked for the end of the run, which is an error. */
bool present_wants_end(const struct presenter *p);
/* `part` ended at `at_ns`, since the start of the run. */
void present_checkpoint(const struct presenter *p, const struct summary *part, int64_t at_ns);

/*
 * The final report: the last part in the built-in text or the hook, the whole run in the requests
 * section and in JSON. Returns the exit code, which says if a hook has failed, or if an output
 * cannot be written.
 */
int present_result(const struct presenter *p, const struct result *result,
                   const struct judgement *judgement);

/*
 * Once, behind all else that may warn: writes the JSON report, and the page that is drawn from it,
 * to where the settings say. −1 after a logged message.
 */
int present_files(const struct presenter *p);
/* Of a run that never began: the JSON report alone, without a summary. */
int present_failure(const struct presenter *p);

#endif
