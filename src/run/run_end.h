/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a run: what became of every request, how long it took, and the reports. */
#ifndef RUN_END_H
#define RUN_END_H

#include "run/run_state.h"

/* When all has ended that will: accounts for every request, prints and writes the reports. Returns
 * the exit code. */
int run_report_end(struct run *run);

/* Of a run that could not begin: writes the JSON report. */
void run_report_failure(struct run *run);

#endif
