/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes one run: threads, warm-up, limits, intervals, checkpoints, the end, the report. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>

#include "run/run_setup.h"

/*
 * Executes the run with all its output. Returns the exit code (exit_codes.h). *abandoned is set if
 * threads were given up because they are stuck. They may continue at any time, so all that `setup`
 * points to must then be kept until the process ends by _exit().
 */
int run_execute(const struct run_setup *setup, bool *abandoned);

#endif
