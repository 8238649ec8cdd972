/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rank that has the time to report. mpirun of Open MPI 5 (PRRTE) that is told to end sends
 * SIGCONT to its processes, a quarter of a second later SIGTERM, another quarter later SIGKILL, and
 * ends itself; nothing changes that. What it knows and kills is a process and its group. So the
 * process that it has started becomes the keeper of another one, which is the rank, with a group of
 * its own. The keeper tells it what the launcher wants, and ends as it ends. When it is killed
 * itself, the rank gets interrupt_relay().
 *
 * Such a rank writes to a launcher that is about to end, and does not read any more. So what is
 * written then is held, and goes to where the launcher has its own output when that has ended. The
 * standard output and error of a rank whose launcher is on another machine are lost.
 */
#ifndef KEEPER_H
#define KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

struct keeper;

/*
 * Divides this process in two, where it was started by PRRTE: returns in the rank, with its keeper.
 * NULL: it is not divided. There must be one thread only. With `speaks`, its output is to be saved.
 */
struct keeper *keeper_create(bool speaks);
void keeper_destroy(struct keeper *keeper);
/* Who has started it: the launcher, or its part on this machine. */
pid_t keeper_parent(const struct keeper *keeper);

/*
 * Output is held from now on when the launcher is about to end, which the rank knows (`ends`), or
 * when that may be, because SIGCONT has come. When no end follows, it goes where it would have
 * gone. To be called often.
 */
void keeper_hold_output(struct keeper *keeper, bool ends);
/* Waits a moment for the launcher's end, and writes what was held; other output follows it. */
void keeper_release_output(struct keeper *keeper);

/* Whether the launcher has ended the keeper, or has ended before it; waits a moment for that. */
bool keeper_is_gone(const struct keeper *keeper);

#endif
