/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/launcher.h"

#include <stdlib.h>

#include "base/log.h"

/* Environment variables of one launcher. `rank` and `ranks` name variables with numbers. */
struct mark {
    const char *proof, *rank, *ranks;
    bool strangers;
};

/*
 * srun without PMIx gives the number of its tasks in SLURM_STEP_NUM_TASKS. A Slurm batch script
 * also has SLURM_NTASKS and SLURM_PROCID, but is a single process; only processes started by srun
 * belong to a step and have SLURM_STEP_NUM_TASKS.
 */
static const struct mark marks[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
    {"PMIX_RANK", "PMIX_RANK", "SLURM_NTASKS", false},
    {"PMI_RANK", "PMI_RANK", "PMI_SIZE", false},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true},
};

/* Returns 0 if the variable is not set or is not a number. */
static unsigned number_of(char *(*get)(const char *name), const char *name)
{
    const char *text = get(name);
    long value = text != NULL ? strtol(text, NULL, 10) : 0;
    return value > 0 && value < 1 << 30 ? (unsigned)value : 0;
}

struct launcher launcher_look(char *(*get)(const char *name))
{
    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        if (get(marks[i].proof) == NULL)
            continue;
        struct launcher launcher = {.variable = marks[i].proof,
                                    .rank = number_of(get, marks[i].rank),
                                    .ranks = number_of(get, marks[i].ranks),
                                    .strangers = marks[i].strangers};
        return launcher.ranks == 1 ? (struct launcher){0} : launcher;
    }
    return (struct launcher){0};
}

int launcher_check_world(const struct launcher *launcher, unsigned ranks)
{
    if (ranks >= launcher->ranks)
        return 0;
    if (launcher->rank == 0)
        log_text(
            LOG_FATAL,
            "the launcher has started %u processes (%s is set), but Open MPI sees %u: it does not "
            "understand this launcher. Start them with Open MPI's mpirun (Debian package "
            "openmpi-bin), or with srun --mpi=pmix where Slurm has PMIx",
            launcher->ranks, launcher->variable, ranks);
    return -1;
}

int launcher_refuse_strangers(const struct launcher *launcher)
{
    if (launcher->rank == 0)
        log_text(
            LOG_FATAL,
            "srun has started %u processes (%s is set) that do not know each other: each would "
            "be a run of its own. Start them with srun --mpi=pmix where Slurm has PMIx, or "
            "with Open MPI's mpirun (Debian package openmpi-bin), or give each its part with "
            "--node; for runs of their own, unset that variable",
            launcher->ranks, launcher->variable);
    return -1;
}
