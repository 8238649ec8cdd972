/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Presents measurements to the user: as text, which a hook of the workload may replace; as JSON and
 * as a page; and to the outputs. No thread and no running benchmark is needed: a result that was
 * read from files is presented the same way as one from memory. Only one thread may call these
 * functions.
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

/* The settings and destinations for the presentation of results. The caller keeps ownership of
 * everything that the pointers refer to. */
struct presenter {
    const struct settings *settings;
    struct reported_workload workload;
    bool text;                /* --verbosity allows reports */
    struct report_json *json; /* NULL if no JSON report is wanted */
    struct outputs *outputs;
};

struct presenter presenter_of(const struct settings *settings, struct reported_workload workload,
                              struct report_json *json, struct outputs *outputs);

/* Before the run: prints its header. */
void present_header(const struct presenter *p);
/* At the end of each interval: prints it, and adds it to the JSON report and the outputs. */
void present_interval(const struct presenter *p, const struct interval *interval);
/* Returns true if a hook has asked for the end of the run, which is an error. */
bool present_wants_end(const struct presenter *p);
/* Presents a checkpoint: `part` ended at `at_ns`, in nanoseconds since the start of the run. */
void present_checkpoint(const struct presenter *p, const struct summary *part, int64_t at_ns);

/*
 * Presents the final report. The built-in text or the hook gets the last part of the run; the
 * section about requests and the JSON report get the whole run. Returns the exit code of the
 * program, which also reports a failed hook and an output that cannot be written.
 */
int present_result(const struct presenter *p, const struct result *result,
                   const struct judgement *judgement);

/*
 * Writes the JSON report, and the page that is made from it, to the files that the settings name.
 * To be called once, after everything that may log a warning, because the report contains the
 * warnings. Returns 0, or −1 after a logged message.
 */
int present_files(const struct presenter *p);
/* Writes the JSON report of a run that never began, without a summary. Returns 0, or −1 after a
 * logged message. */
int present_failure(const struct presenter *p);

#endif
