/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets the controlling thread wait for three things at once: a point in time, a signal from the
 * user, and a notification from another thread. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/* seconds after which a process ends by SIGALRM once it received the signal interrupt_relay() */
#define INTERRUPT_RELAYED_S 20

/*
 * Installs the signal handlers. From now on the first SIGINT or SIGTERM is recorded instead of
 * ending the process; the second one of either kind ends it at once. SIGHUP is also recorded,
 * however often it arrives, unless it was ignored when the process started (nohup). A write to a
 * pipe without a reader returns an error, as for any file, and does not end the process. Only one
 * thread at a time may use this module. Returns −1 after a logged message.
 */
int interrupt_init(void);
/* Restores the default action of SIGINT and SIGTERM, and that of SIGHUP unless a signal was
 * recorded. */
void interrupt_fini(void);
/*
 * Use instead of interrupt_fini() if threads that may still call interrupt_notify() are running:
 * does the same, but keeps the descriptor that interrupt_notify() needs. The process must end
 * soon.
 */
void interrupt_leave(void);

/* Returns the first signal that was recorded, or 0. */
int interrupt_signal(void);

/*
 * Returns the number of the signal with which one process informs another that their launcher is
 * ending them. It counts as a single SIGTERM however often it arrives, and the process ends by
 * SIGALRM if it runs longer than INTERRUPT_RELAYED_S after it. Before interrupt_init() it ends the
 * process at once.
 */
int interrupt_relay(void);
/* Returns true if the signal interrupt_relay() has arrived. */
bool interrupt_relayed(void);

/* Blocks the signals in threads that are created before interrupt_unmask(): only the controlling
 * thread handles signals. */
void interrupt_mask(void);
void interrupt_unmask(void);

/* Sleeps until CLOCK_MONOTONIC reaches `deadline_ns` or a signal arrives. Returns at once if
 * interrupt_notify() was called since the last wait. */
void interrupt_wait(int64_t deadline_ns);

/* Wakes the controlling thread. Any thread may call it. The parameter only makes it usable as a
 * callback. */
void interrupt_notify(void *unused);

#endif
