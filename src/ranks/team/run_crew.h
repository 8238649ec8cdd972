/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before a run, the processes of a launcher agree on who they are, which run they are about to
 * make, and which share of it each of them takes. A process without a launcher agrees with itself.
 */
#ifndef RUN_CREW_H
#define RUN_CREW_H

#include <stddef.h>

#include "options/cmdline.h"
#include "options/options.h"
#include "options/settings.h"
#include "ranks/launch/crew.h"

struct run_crew {
    struct crew crew;
    struct settings whole; /* settings of the whole run, as given on the command line */
    /* path of this rank's request log; NULL if not requested or if there is one process */
    char *request_log;
};

enum run_crew_part { RUN_CREW_PART, RUN_CREW_NONE, RUN_CREW_FAILED };

/*
 * Joins the other processes if a launcher has started several and no --node is given. Then changes
 * *settings to those of this rank: its share of the workers, the seed of rank 0, and no output that
 * rank 0 writes for all. Returns RUN_CREW_NONE if the command runs on rank 0 only and this is
 * another rank. Returns RUN_CREW_FAILED after this rank or another one has logged a message.
 */
enum run_crew_part run_crew_join(struct run_crew *rc, struct settings *settings,
                                 const struct cmdline *cmdline);
/*
 * Verifies that all ranks are about to make the same run: same options, version, test, first
 * arrivals and script text (`script` is NULL if there is no script). Returns −1 if they differ,
 * after rank 0 has logged a message.
 */
int run_crew_hello(struct run_crew *rc, const struct settings *settings,
                   const struct options *options, const char *version, const char *script,
                   size_t script_bytes);
/* Leaves the crew. Call when all output has been written. Returns the exit code of all ranks. */
int run_crew_leave(struct run_crew *rc, int code);

#endif
