/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The input of a run. */
#ifndef RUN_SETUP_H
#define RUN_SETUP_H

#include "engine/workload.h"
#include "options/options.h"
#include "options/settings.h"
#include "run/ranks_ops.h"

/* Everything here must outlive the run. */
struct run_setup {
    const struct settings *settings; /* settings of this rank */
    const struct settings *whole;    /* settings of the whole run; the same as `settings` if
                                        there is only one rank */
    struct run_ranks ranks;          /* how this process takes part in a run on several ranks */
    const struct options *options;
    const char *version, *test, *command; /* for the JSON report; command may be NULL */
    struct workload workload;
};

#endif
