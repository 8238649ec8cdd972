/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One place where the controlling thread waits for everything: a point in time, a signal from the
 * user, word from another thread.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/* How long a process may go on that nobody else would end, after interrupt_relay(). */
#define INTERRUPT_RELAYED_S 20

/*
 * From now on the first SIGINT or SIGTERM is noted instead of ending the process; the second, of
 * either kind, ends it at once. So is SIGHUP, however often it comes, unless the process was
 * started with it ignored (nohup). To write to a pipe that nobody reads is an error from now on,
 * as with any file, and does not end the process. One thread at a time may use this module. −1
 * after a logged message.
 */
int interrupt_init(void);
/* SIGINT and SIGTERM end the process again, and SIGHUP unless a signal was noted. */
void interrupt_fini(void);
/*
 * In place of interrupt_fini() when threads are left that may still call interrupt_notify(): keeps
 * what that needs. The process must end soon.
 */
void interrupt_leave(void);

/* The signal that came first, or 0. */
int interrupt_signal(void);

/*
 * The number of a signal by which one process tells another that their launcher ends them. It
 * counts as one SIGTERM however often it comes, and the process ends by SIGALRM when it takes more
 * than INTERRUPT_RELAYED_S. Before interrupt_init() it ends the process at once.
 */
int interrupt_relay(void);
/* Whether it has come. */
bool interrupt_relayed(void);

/* Blocks the signals in threads created until interrupt_unmask(): they are for the controlling
 * thread alone. */
void interrupt_mask(void);
void interrupt_unmask(void);

/* Sleeps until CLOCK_MONOTONIC reaches `deadline_ns`, a signal comes or interrupt_notify() was
 * called since the last wait. */
void interrupt_wait(int64_t deadline_ns);

/* Wakes the controlling thread. Any thread; `unused` lets it serve as a callback. */
void interrupt_notify(void *unused);

#endif
