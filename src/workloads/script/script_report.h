/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report hooks: Lua functions of the script that receive the measured results. */
#ifndef SCRIPT_REPORT_H
#define SCRIPT_REPORT_H

#include <stdbool.h>

#include "options/settings.h"
#include "result/remarks.h"
#include "result/summary.h"

struct script;

/* Report hooks. Return true if the script has the hook and it ran without error; the hook then
 * replaces the text report. An error in a hook is logged, and false is returned. */
bool script_report_intermediate(struct script *script, const struct interval *interval,
                                const struct settings *settings);
bool script_report_cumulative(struct script *script, const struct summary *summary,
                              const struct settings *settings);
/*
 * Pushes the function sysbench.hooks.NAME. Returns false and pushes nothing if it does not exist.
 */
bool script_push_hook(struct script *script, const char *name);
bool script_has_hook(struct script *script, const char *name);
/* Pushes a summary as the table `stat`. */
void script_push_summary(struct script *script, const struct summary *summary,
                         const struct settings *settings);
/* Calls sysbench.hooks.remarks, with which a script adds figures and audits to the report of a run.
 * Returns false if there is no such hook, or if it failed, which is logged. */
bool script_remarks(struct script *script, const struct summary *summary,
                    const struct settings *settings, struct remarks *remarks);
/* Calls sysbench.hooks.rate. If the hook returns an arrival rate, it becomes the rate in the
 * settings and the option. Returns −1 after logging a message. */
int script_take_rate(struct script *script, struct settings *settings, struct options *options);
/* Returns true if any call of a report hook has raised an error. */
bool script_report_failed(const struct script *script);
/* Returns true if a report hook has called os.exit(). */
bool script_wants_end(const struct script *script);

#endif
