/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a run: the result, the judgement on it, and the reports. */
#ifndef RUN_END_H
#define RUN_END_H

#include "run/run_state.h"

/* To be called when all threads that will end have ended. Makes the result, judges and presents it,
 * and writes the reports. Returns the exit code. */
int run_report_end(struct run *run);

/* Ends the measurement of the staleness of replicas, if there is one. May be called again. */
void run_end_staleness(struct run *run);

#endif
