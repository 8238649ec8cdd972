/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that are missing in all or some C libraries for Linux (musl, older glibc). */
#ifndef PORT_H
#define PORT_H

#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Returns a close-on-exec descriptor that refers to a process, or −1 with errno set. */
static inline int port_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0U);
}

/* Closes every descriptor from `first` on. */
static inline void port_close_from(int first)
{
    syscall(SYS_close_range, (unsigned)first, ~0U, 0U);
}

/* Returns free memory of the heap to the system, as far as the C library can. */
void port_trim_heap(void);
/* Makes the C library take each block of at least `bytes` bytes from the system, if it can: then
 * pages of the block that are never written cost no memory. */
void port_map_blocks(int bytes);

/*
 * Starts a command, searched in PATH, in a session of its own, with default signals, an empty
 * standard input, and the given descriptors as standard output and standard error. Other
 * descriptors are closed. The command gets SIGTERM when the calling thread ends. Returns 0 and
 * stores the process id, or returns an errno.
 */
int port_spawn(char *const argv[], int output, int errors, pid_t *pid);

/*
 * Waits for the semaphore until CLOCK_MONOTONIC reaches the deadline, with the results of
 * sem_clockwait(), including the errors EINTR and ETIMEDOUT. If the C library lacks
 * sem_clockwait(), setting the wall clock back delays the return by at most one second.
 */
int port_sem_wait(sem_t *sem, const struct timespec *deadline);

#endif
