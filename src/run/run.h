/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run: threads, warm-up, limits, intervals, checkpoints, the end, the report. */
#ifndef RUN_H
#define RUN_H

#include "engine/workload.h"
#include "options/options.h"
#include "options/settings.h"

struct run_setup {
    const struct settings *settings;
    const struct options *options;
    const char *version, *test, *command; /* for the JSON report; command may be NULL */
    struct workload workload;
};

/*
 * Executes the run with all its output. Returns the exit code: 0; 1 after a failure that was
 * logged; 128 + the signal that ended it early. *abandoned is set when workers are still stuck in
 * an event: the process must then end without freeing what they use.
 */
int run_execute(const struct run_setup *setup, bool *abandoned);

#endif
