/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/start_wait.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"

/*
 * start_wait() returns this long before the start, so that the caller can finish its preparations.
 */
#define LEAD_NS (20 * NS_PER_MS)

/* Recomputes *start_ns in case the wall clock was set. Returns −1 after logging a message if the
 * clock was set past the start time. If the clock was not set but the start time has passed, the
 * machine is late, and the figures of the run show that. */
static int look_again(const struct settings *settings, int64_t *start_ns)
{
    const int64_t ahead_ns = clock_wall_ahead_ns(), now_ns = clock_now_ns();
    const int64_t set_ns = *start_ns - (settings->start_wall_ns - ahead_ns);
    *start_ns -= set_ns;
    if (set_ns < LEAD_NS || *start_ns >= now_ns)
        return 0;
    log_text(LOG_FATAL,
             "--start-at: the wall clock was set forward by %.3f s, so the start time has passed: "
             "name a later time",
             ns_to_seconds(set_ns));
    return -1;
}

int start_wait(const struct settings *settings, int64_t *start_ns)
{
    int64_t now_ns = clock_now_ns();
    *start_ns = now_ns;
    if (settings->start_wall_ns == 0)
        return 0;
    *start_ns = settings->start_wall_ns - clock_wall_ahead_ns();
    if (*start_ns < now_ns) {
        log_text(LOG_FATAL,
                 "--start-at: the start time was %.3f s before this rank was ready: "
                 "name a later time",
                 ns_to_seconds(now_ns - *start_ns));
        return -1;
    }
    log_text(LOG_NOTICE, "Waiting for %.3f seconds, until --start-at...\n",
             ns_to_seconds(*start_ns - now_ns));
    /* The wall clock may be set during the wait, so read it again every second. */
    while ((now_ns = clock_now_ns()) < *start_ns - LEAD_NS) {
        if (interrupt_signal() != 0)
            return -1;
        interrupt_wait(min_i64(*start_ns - LEAD_NS, now_ns + NS_PER_SEC));
        if (look_again(settings, start_ns) != 0)
            return -1;
    }
    return 0;
}
