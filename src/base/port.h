/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one C library for Linux has and another (musl, an older glibc) has not. */
#ifndef PORT_H
#define PORT_H

#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* A descriptor for a process, which is closed by a program that is started. −1 and errno: there is
 * none. */
static inline int port_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0U);
}

/* Closes every descriptor from `first` on. */
static inline void port_close_from(int first)
{
    syscall(SYS_close_range, (unsigned)first, ~0U, 0U);
}

/* Waits for the semaphore until CLOCK_MONOTONIC reaches the deadline, with the results of
 * sem_clockwait() (EINTR and ETIMEDOUT among the errors). Without that call of the library, setting
 * the wall clock back makes it late, by a second at most. */
int port_sem_wait(sem_t *sem, const struct timespec *deadline);

#endif
