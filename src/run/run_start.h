/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the threads of a run and waits until all of them are ready. */
#ifndef RUN_START_H
#define RUN_START_H

#include "run/run_state.h"

/*
 * Starts all threads and then the run itself. Returns −1 if the run did not start; the workers have
 * then been released and end by themselves.
 */
int run_start_threads(struct run *run);

/*
 * Reads the settings of the server (--server-config) again at the end of a run, if an injection was
 * due before the measured part: such an injection may have changed a setting on purpose. The new
 * values replace those in the report. Does nothing if another injection was due during the measured
 * part, because the settings may then be those that it has set. Does nothing after a signal or if
 * workers are stuck, because the server may not answer.
 */
void run_describe_again(const struct run *run);

#endif
