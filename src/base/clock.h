/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time is CLOCK_MONOTONIC in integer nanoseconds everywhere in the program. */
#ifndef CLOCK_H
#define CLOCK_H

#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/util.h"

/* Returns CLOCK_MONOTONIC in nanoseconds. One call costs about 20 ns; hot paths call it once per
 * event. */
static inline int64_t clock_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* Returns `from_ns` + `span_ns`, or INT64_MAX if the sum would overflow. */
static inline int64_t clock_after_ns(int64_t from_ns, int64_t span_ns)
{
    return span_ns > INT64_MAX - from_ns ? INT64_MAX : from_ns + span_ns;
}

static inline struct timespec clock_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC};
}

/* Returns the CPU time used by the calling thread, in nanoseconds. */
int64_t clock_thread_cpu_ns(void);
/* Returns the CPU time in nanoseconds of the thread whose clock pthread_getcpuclockid()
 * returned. The thread must not have ended. */
int64_t clock_cpu_ns(clockid_t clock);

/* Sleeps until CLOCK_MONOTONIC reaches `deadline_ns`; a signal does not shorten the sleep. */
void clock_sleep_until_ns(int64_t deadline_ns);

/* Waits for the semaphore. Returns true after decrementing it, or false if `deadline_ns` has
 * passed. */
bool clock_sem_wait(sem_t *sem, int64_t deadline_ns);

/* Sets the timer slack of the calling thread: how much later than requested the kernel may wake
 * it, in nanoseconds ≥ 1. The kernel's default is 50 µs. */
void clock_set_slack_ns(int64_t slack_ns);

/* Returns a seed in [1, highest], derived from the wall clock and the process id. Two calls
 * rarely return the same seed if `highest` is large. */
int64_t clock_seed(int64_t highest);

/* Upper bound for seeds that users may have to type. */
#define CLOCK_SHORT_SEED INT64_C(1000000000)

/* Writes the current wall-clock time as ISO 8601 in UTC with milliseconds
 * ("2026-01-31T23:59:59.123Z"). */
void clock_iso8601(char *buf, size_t bytes);

/*
 * Returns how far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC now, in nanoseconds. Reads both clocks
 * several times and uses the shortest reading, because a reading may be interrupted on a busy
 * machine.
 */
int64_t clock_wall_ahead_ns(void);

#endif
