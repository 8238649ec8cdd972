/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a launcher (mpirun, srun) has started this process as one of several. */
#ifndef LAUNCHER_H
#define LAUNCHER_H

#include <stdbool.h>

struct launcher {
    const char *variable; /* of the environment, that says so; NULL: nobody has */
    unsigned rank;        /* as far as the launcher says; only MPI knows for certain */
    unsigned ranks;       /* as far as it says; 0: it does not */
    bool strangers;       /* they do not know each other: nothing can join them */
};

/*
 * Looks at the environment, by `get` (getenv()). Started are processes with OMPI_COMM_WORLD_SIZE,
 * PMIX_RANK or PMI_RANK; SLURM_PROCID is also set in a batch script, which runs once, and proves
 * nothing. A world of one that says so is no launcher's: variable is NULL then.
 */
struct launcher launcher_look(char *(*get)(const char *name));

/*
 * The world that MPI has made has so many ranks: −1, after a message of the first one, when the
 * launcher has started more processes than that, because each would then run all by itself.
 */
int launcher_check_world(const struct launcher *launcher, unsigned ranks);

/* Strangers are no run. Always -1, after a message that one of them logs. */
int launcher_refuse_strangers(const struct launcher *launcher);

#endif
