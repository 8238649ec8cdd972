/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The connection with the launcher, where it is one of PMIx: Open MPI 5 and srun --mpi=pmix. */
#ifndef PMIX_WATCH_H
#define PMIX_WATCH_H

/*
 * When that connection is lost, Open MPI ends the process. From now on the process gets the signal
 * instead, and Open MPI hears nothing of it. −1: there is no such connection, or no PMIx.
 */
int pmix_watch(int signo);

#endif
