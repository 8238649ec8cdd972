/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run is made from. */
#ifndef RUN_SETUP_H
#define RUN_SETUP_H

#include "engine/workload.h"
#include "launch/crew.h"
#include "options/options.h"
#include "options/settings.h"

/* All of it must outlive the run. */
struct run_setup {
    const struct settings *settings; /* of this rank */
    const struct settings *whole;    /* of the whole run; one rank: the same */
    struct crew *crew;               /* NULL: one rank */
    const struct options *options;
    const char *version, *test, *command; /* for the JSON report; command may be NULL */
    struct workload workload;
};

#endif
