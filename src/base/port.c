/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/port.h"

#ifdef __GLIBC__

#include <malloc.h>

void port_trim_heap(void)
{
    malloc_trim(0);
}

#else

void port_trim_heap(void) {}

#endif

#ifdef HAVE_SEM_CLOCKWAIT

int port_sem_wait(sem_t *sem, const struct timespec *deadline)
{
    return sem_clockwait(sem, CLOCK_MONOTONIC, deadline);
}

#else

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/* longest wait on the wall clock before the monotonic clock is checked again */
#define SLICE_NS NS_PER_SEC

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * NS_PER_SEC + time->tv_nsec;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return ns_of(&now);
}

/* Waits at most `span_ns`, measured by the wall clock: POSIX has no other clock for semaphores. */
static int wait_for(sem_t *sem, int64_t span_ns)
{
    const int64_t end_ns = now_ns(CLOCK_REALTIME) + span_ns;
    const struct timespec end = {.tv_sec = end_ns / NS_PER_SEC, .tv_nsec = end_ns % NS_PER_SEC};
    return sem_timedwait(sem, &end);
}

int port_sem_wait(sem_t *sem, const struct timespec *deadline)
{
    const int64_t deadline_ns = ns_of(deadline);
    while (true) {
        const int64_t left_ns = max_i64(0, deadline_ns - now_ns(CLOCK_MONOTONIC));
        if (wait_for(sem, min_i64(left_ns, SLICE_NS)) == 0)
            return 0;
        if (errno != ETIMEDOUT || left_ns == 0)
            return -1;
    }
}

#endif
