/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report hooks: what was measured, handed to functions of the script. */
#ifndef SCRIPT_REPORT_H
#define SCRIPT_REPORT_H

#include <stdbool.h>

#include "options/settings.h"
#include "result/remarks.h"
#include "result/summary.h"

struct script;

/*
 * Report hooks: true when the script has one and it was called (it replaces the text). An
 * error in a hook is logged and counts as not called.
 */
bool script_report_intermediate(struct script *script, const struct interval *interval,
                                const struct settings *settings);
bool script_report_cumulative(struct script *script, const struct summary *summary,
                              const struct settings *settings);
/* Pushes the function sysbench.hooks.NAME; false: there is none, and nothing is pushed. */
bool script_push_hook(struct script *script, const char *name);
bool script_has_hook(struct script *script, const char *name);
/* Pushes the table `stat` of a summary. */
void script_push_summary(struct script *script, const struct summary *summary,
                         const struct settings *settings);
/*
 * sysbench.hooks.remarks: what the script says of a run that has ended. False: there is no such
 * hook, or it failed, which was logged.
 */
bool script_remarks(struct script *script, const struct summary *summary,
                    const struct settings *settings, struct remarks *remarks);
/*
 * sysbench.hooks.rate: the arrival rate of the run, where the script knows it, becomes that of the
 * settings and the option. −1 after a logged message.
 */
int script_take_rate(struct script *script, struct settings *settings, struct options *options);
/* Whether any call of a report hook raised an error. */
bool script_report_failed(const struct script *script);
/* Whether one has called os.exit(). */
bool script_wants_end(const struct script *script);

#endif
