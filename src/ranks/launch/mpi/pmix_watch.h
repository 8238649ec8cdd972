/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches the connection to a PMIx launcher (Open MPI 5, srun --mpi=pmix). */
#ifndef PMIX_WATCH_H
#define PMIX_WATCH_H

/*
 * By default, Open MPI ends the process if the connection to the launcher is lost. After this call
 * the process receives the signal `signo` instead, and the event is not passed to Open MPI. Returns
 * 0, or −1 if the process has no such connection or PMIx is not loaded.
 */
int pmix_watch(int signo);

#endif
