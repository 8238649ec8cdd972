/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives a rank enough time to report when mpirun of Open MPI 5 (PRRTE) ends the run. On a signal,
 * mpirun sends SIGCONT to its processes, SIGTERM a quarter of a second later, SIGKILL another
 * quarter later, and ends itself; these delays cannot be configured. But mpirun signals and kills
 * only the process that it started and its process group. So this process becomes the keeper: it
 * forks the rank, which gets a process group of its own. The keeper forwards the launcher's signals
 * to the rank, and ends with the exit status of the rank. If the keeper is killed, the rank
 * receives the signal interrupt_relay().
 *
 * The output of such a rank is a pipe to the launcher, which stops reading when it is about to end.
 * Output written during this time is held in memory. After the launcher has ended, the held output
 * is written to the standard output and error of the launcher. If the launcher runs on another
 * machine, this output is lost.
 */
#ifndef KEEPER_H
#define KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

struct keeper;

/*
 * Forks if PRRTE started this process; returns in the child, which is the rank. Returns NULL if the
 * process was not forked. Call while the process has a single thread. If `speaks` is true, the
 * output of the rank is preserved when the launcher ends.
 */
struct keeper *keeper_create(bool speaks);
void keeper_destroy(struct keeper *keeper);
/* Returns the process that started the keeper: the launcher, or its daemon on this machine. */
pid_t keeper_parent(const struct keeper *keeper);

/*
 * Starts to hold output if the rank knows that the launcher is about to end (`ends`), or if the
 * launcher may be about to end because SIGCONT was received. If the launcher continues, the held
 * output is written to where it would have gone. Call this often.
 */
void keeper_hold_output(struct keeper *keeper, bool ends);
/* Waits up to 2 seconds for the launcher to end, then writes the held output. Later output is no
 * longer held. */
void keeper_release_output(struct keeper *keeper);

/*
 * Returns true if the keeper was killed or has lost its launcher. Waits for that up to one second.
 */
bool keeper_is_gone(const struct keeper *keeper);

#endif
