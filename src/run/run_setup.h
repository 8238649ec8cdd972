/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run is made from. */
#ifndef RUN_SETUP_H
#define RUN_SETUP_H

#include "engine/workload.h"
#include "options/options.h"
#include "options/settings.h"
#include "run/ranks_ops.h"

/* All of it must outlive the run. */
struct run_setup {
    const struct settings *settings; /* of this rank */
    const struct settings *whole;    /* of the whole run; one rank: the same */
    struct run_ranks ranks;          /* how the process takes part in a run on several ranks */
    const struct options *options;
    const char *version, *test, *command; /* for the JSON report; command may be NULL */
    struct workload workload;
};

#endif
