/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/port.h"

/* number of wall-clock readings; the one that took the shortest time is used */
#define WALL_CLOCK_READINGS 5

int64_t clock_cpu_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

int64_t clock_thread_cpu_ns(void)
{
    return clock_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

void clock_sleep_until_ns(int64_t deadline_ns)
{
    struct timespec deadline = clock_timespec(deadline_ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR)
        ;
}

bool clock_sem_wait(sem_t *sem, int64_t deadline_ns)
{
    const struct timespec deadline = clock_timespec(deadline_ns);
    int rc;
    while ((rc = port_sem_wait(sem, &deadline)) != 0 && errno == EINTR)
        ;
    return rc == 0;
}

void clock_set_slack_ns(int64_t slack_ns)
{
    /* A value of 0 would restore the default of 50 µs. */
    prctl(PR_SET_TIMERSLACK, (unsigned long)max_i64(1, slack_ns), 0UL, 0UL, 0UL);
}

int64_t clock_seed(int64_t highest)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
    /* Processes that start at the same moment get different seeds. */
    seed ^= (uint64_t)getpid() << 32;
    return (int64_t)(seed % (uint64_t)highest) + 1;
}

void clock_iso8601(char *buf, size_t bytes)
{
    struct timespec now;
    struct tm utc;
    char seconds[sizeof("2026-01-31T23:59:59")];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(buf, bytes, "%s.%03dZ", seconds, (int)(now.tv_nsec / NS_PER_MS));
}

int64_t clock_wall_ahead_ns(void)
{
    int64_t best_ns = INT64_MAX, ahead_ns = 0;
    for (unsigned i = 0; i < WALL_CLOCK_READINGS; i++) {
        struct timespec wall;
        const int64_t before_ns = clock_now_ns();
        clock_gettime(CLOCK_REALTIME, &wall);
        const int64_t took_ns = clock_now_ns() - before_ns;
        if (took_ns < best_ns) {
            best_ns = took_ns;
            ahead_ns = (int64_t)wall.tv_sec * NS_PER_SEC + wall.tv_nsec - (before_ns + took_ns / 2);
        }
    }
    return ahead_ns;
}
