/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a run: its result, the judgement on that, the reports. */
#ifndef RUN_END_H
#define RUN_END_H

#include "run/run_state.h"

/* When all has ended that will: freezes the result, judges and presents it, and writes the reports.
 * Returns the exit code. */
int run_report_end(struct run *run);

#endif
