/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects whether a launcher (mpirun, srun) has started this process as one of several. */
#ifndef LAUNCHER_H
#define LAUNCHER_H

#include <stdbool.h>

struct launcher {
    /* environment variable that proves a launcher; NULL if there is no launcher */
    const char *variable;
    unsigned rank;  /* rank according to the launcher; only MPI knows for certain */
    unsigned ranks; /* number of ranks according to the launcher; 0 if unknown */
    bool strangers; /* true if the launcher gives the processes no means to communicate */
};

/*
 * Looks for a launcher in the environment, which is read with `get` (getenv()). A launcher is
 * assumed if OMPI_COMM_WORLD_SIZE, PMIX_RANK, PMI_RANK or SLURM_STEP_NUM_TASKS is set. SLURM_PROCID
 * alone proves nothing, because it is also set in a batch script, which runs once. If the launcher
 * reports a single process, `variable` is NULL.
 */
struct launcher launcher_look(char *(*get)(const char *name));

/* Compares the number of ranks that MPI sees with the number that the launcher has started. If MPI
 * sees fewer, each process would run alone: the first process logs a message, and all return −1. */
int launcher_check_world(const struct launcher *launcher, unsigned ranks);

/* Refuses to run if the launcher's processes cannot communicate (`strangers`). The first process
 * logs a message. Always returns −1. */
int launcher_refuse_strangers(const struct launcher *launcher);

#endif
