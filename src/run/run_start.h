/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a run, up to the moment when all are ready and the run begins. */
#ifndef RUN_START_H
#define RUN_START_H

#include "run/run_state.h"

/*
 * Brings all threads to the start of the run. −1: it never began; the workers have been sent home.
 */
int run_start_threads(struct run *run);

#endif
