/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time: CLOCK_MONOTONIC in integer nanoseconds, everywhere. */
#ifndef CLOCK_H
#define CLOCK_H

#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/util.h"

/* Nanoseconds of CLOCK_MONOTONIC. One call costs about 20 ns; hot paths call it once per event. */
static inline int64_t clock_now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* So much later; INT64_MAX where that is too late for any clock. */
static inline int64_t clock_after_ns(int64_t from_ns, int64_t span_ns)
{
    return span_ns > INT64_MAX - from_ns ? INT64_MAX : from_ns + span_ns;
}

static inline struct timespec clock_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC};
}

/* CPU time that the calling thread has used, in nanoseconds. */
int64_t clock_thread_cpu_ns(void);
/* CPU time by a clock that pthread_getcpuclockid() has given, of a thread that has not ended. */
int64_t clock_cpu_ns(clockid_t clock);

/* Sleeps until CLOCK_MONOTONIC reaches `deadline_ns`; a signal does not shorten the sleep. */
void clock_sleep_until_ns(int64_t deadline_ns);

/* Waits until the semaphore is posted, and takes that, or until `deadline_ns`: false. */
bool clock_sem_wait(sem_t *sem, int64_t deadline_ns);

/* How much later than asked for the kernel may wake the calling thread, in nanoseconds ≥ 1; 50 µs
 * without this. */
void clock_set_slack_ns(int64_t slack_ns);

/* A seed from 1 to `highest`, from the wall clock and the process: hardly ever the same twice where
 * there is room for that. */
int64_t clock_seed(int64_t highest);

/* Room enough for a seed that people are to type again. */
#define CLOCK_SHORT_SEED INT64_C(1000000000)

/* The wall-clock time now as ISO 8601 in UTC with milliseconds ("2026-01-31T23:59:59.123Z"). */
void clock_iso8601(char *buf, size_t bytes);

/* Returns how far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC now, in nanoseconds: the best of some
 * readings, because a busy machine may interrupt one of them. */
int64_t clock_wall_ahead_ns(void);

#endif
