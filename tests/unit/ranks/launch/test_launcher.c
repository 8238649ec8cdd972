/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/launcher.h"

#include <string.h>

#include "../../capture.h"
#include "../../suite.h"

/* "NAME", "VALUE", ..., NULL */
static const char *const *environment;

static char *get(const char *name)
{
    for (const char *const *e = environment; *e != NULL; e += 2)
        if (strcmp(*e, name) == 0)
            return (char *)e[1];
    return NULL;
}

#define LOOK(...)                                                                                  \
    (environment = (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}, launcher_look(get))

START_TEST(there_is_no_launcher)
{
    ck_assert_ptr_null(LOOK().variable);
    ck_assert_ptr_null(LOOK("SLURM_PROCID", "0", "SLURM_NTASKS", "8").variable);
}
END_TEST

START_TEST(mpirun_gives_rank_and_number_of_ranks)
{
    struct launcher l = LOOK("OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_RANK", "2", "PMIX_RANK",
                             "2", "SLURM_NTASKS", "8");
    ck_assert_str_eq(l.variable, "OMPI_COMM_WORLD_SIZE");
    ck_assert_uint_eq(l.rank, 2);
    ck_assert_uint_eq(l.ranks, 4);
}
END_TEST

START_TEST(a_single_process_has_no_launcher)
{
    ck_assert_ptr_null(LOOK("OMPI_COMM_WORLD_SIZE", "1", "PMIX_RANK", "0").variable);
    ck_assert_ptr_null(LOOK("PMI_RANK", "0", "PMI_SIZE", "1").variable);
}
END_TEST

START_TEST(srun_with_pmix)
{
    struct launcher l = LOOK("PMIX_RANK", "1", "SLURM_NTASKS", "3", "SLURM_PROCID", "1");
    ck_assert_str_eq(l.variable, "PMIX_RANK");
    ck_assert_uint_eq(l.rank, 1);
    ck_assert_uint_eq(l.ranks, 3);
    l = LOOK("PMIX_RANK", "1");
    ck_assert_ptr_nonnull(l.variable);
    ck_assert_uint_eq(l.ranks, 0);
}
END_TEST

START_TEST(fewer_mpi_ranks_than_processes_are_refused)
{
    struct launcher l = LOOK("PMIX_RANK", "0", "SLURM_NTASKS", "3");
    ck_assert_int_eq(launcher_check_world(&l, 3), 0);
    ck_assert_int_eq(launcher_check_world(&l, 4), 0);
    ck_assert_int_eq(launcher_check_world(&l, 1), -1);
    l = LOOK("PMIX_RANK", "0");
    ck_assert_int_eq(launcher_check_world(&l, 1), 0);
}
END_TEST

START_TEST(srun_without_pmix_cannot_communicate)
{
    struct launcher l = LOOK("SLURM_STEP_NUM_TASKS", "4", "SLURM_NTASKS", "4", "SLURM_PROCID", "3");
    ck_assert_str_eq(l.variable, "SLURM_STEP_NUM_TASKS");
    ck_assert(l.strangers);
    ck_assert_uint_eq(l.rank, 3);
    ck_assert_uint_eq(l.ranks, 4);
    l = LOOK("PMIX_RANK", "3", "SLURM_STEP_NUM_TASKS", "4", "SLURM_NTASKS", "4");
    ck_assert(!l.strangers);
    /* mpirun starts its daemons on other hosts with srun. */
    ck_assert_ptr_null(LOOK("OMPI_COMM_WORLD_SIZE", "1", "SLURM_STEP_NUM_TASKS", "4").variable);
    ck_assert_ptr_null(LOOK("SLURM_STEP_NUM_TASKS", "1", "SLURM_NTASKS", "4").variable);
}
END_TEST

RUN_SUITE("launcher", 30, srun_without_pmix_cannot_communicate, there_is_no_launcher,
          mpirun_gives_rank_and_number_of_ranks, a_single_process_has_no_launcher, srun_with_pmix,
          fewer_mpi_ranks_than_processes_are_refused)
