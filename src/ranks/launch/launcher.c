/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/launcher.h"

#include <stdlib.h>

#include "base/log.h"

/* A launcher's variables; those of number may be NULL. */
struct mark {
    const char *proof, *rank, *ranks;
    bool strangers;
};

/* The tasks of a step of Slurm say how many there are where PMIx does not. A batch script of Slurm
 * has SLURM_NTASKS and SLURM_PROCID and is one process; what srun has started is part of a step. */
static const struct mark marks[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
    {"PMIX_RANK", "PMIX_RANK", "SLURM_NTASKS", false},
    {"PMI_RANK", "PMI_RANK", "PMI_SIZE", false},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true},
};

/* 0: not set, or no number. */
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
