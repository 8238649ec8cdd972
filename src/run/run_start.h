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

#endif
