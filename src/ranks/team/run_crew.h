/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a launcher's processes agree on before any of them does something: who they are, what they
 * are about to do, and which part of it is whose. One process agrees with itself.
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
    struct settings whole; /* as on the command line; where there is one process, the same */
    char *request_log;     /* where this rank's goes; NULL: not asked for, or one process */
};

enum run_crew_part { RUN_CREW_PART, RUN_CREW_NONE, RUN_CREW_FAILED };

/*
 * Joins the others, where a launcher has started several and --node does not say who this is. Then
 * makes *settings those of this rank: its part of the workers, the seed of rank 0, and nothing that
 * rank 0 presents for all. RUN_CREW_NONE: the command is for rank 0 alone, and this is another.
 * RUN_CREW_FAILED after a message somewhere.
 */
enum run_crew_part run_crew_join(struct run_crew *rc, struct settings *settings,
                                 const struct cmdline *cmdline);
/*
 * All are about to do the same: with options, test, first arrivals, and the text of the script
 * (NULL: none). −1 after a message of rank 0.
 */
int run_crew_hello(struct run_crew *rc, const struct settings *settings,
                   const struct options *options, const char *version, const char *script,
                   size_t script_bytes);
/* Returns the exit code of all; everything has been written. */
int run_crew_leave(struct run_crew *rc, int code);

#endif
