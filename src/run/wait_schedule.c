/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/wait_schedule.h"

#include <math.h>

/* Shortest mean time between the end of a gap and the next sample. */
#define PAUSE_MIN_NS (5.0 * NS_PER_MS)
/* Shortest time between two looks. */
#define LOOK_MIN_NS (2 * NS_PER_MS)

static double mean_ns(double per_second, int64_t gap_ns)
{
    const double ns = NS_PER_SEC / per_second;
    return gap_ns > 0 ? fmax(PAUSE_MIN_NS, ns - (double)gap_ns) : ns;
}

void wait_schedule_init(struct wait_schedule *schedule, double per_second, int64_t gap_ns,
                        uint64_t seed, unsigned stream)
{
    *schedule =
        (struct wait_schedule){.slow_ns = mean_ns(per_second, gap_ns),
                               .fast_ns = mean_ns(WAIT_TRIGGER_FACTOR * per_second, gap_ns)};
    rand_stream_init(&schedule->stream, seed, RAND_SAMPLE, stream);
}

double wait_schedule_mean_ns(const struct wait_schedule *schedule)
{
    return schedule->triggered ? schedule->fast_ns : schedule->slow_ns;
}

void wait_schedule_draw(struct wait_schedule *schedule, int64_t from_ns, bool triggered)
{
    schedule->triggered = triggered;
    schedule->from_ns = from_ns;
    const double pause = rand_stream_exponential(&schedule->stream);
    schedule->next_ns = from_ns + (int64_t)(pause * wait_schedule_mean_ns(schedule)) + 1;
}

void wait_schedule_set(struct wait_schedule *schedule, int64_t now_ns, bool triggered)
{
    if (triggered != schedule->triggered)
        wait_schedule_draw(schedule, max_i64(now_ns, schedule->from_ns), triggered);
}

int64_t wait_schedule_look_ns(int64_t now_ns, int64_t calm_until_ns)
{
    return max_i64(now_ns + LOOK_MIN_NS, min_i64(calm_until_ns, now_ns + WAIT_LOOK_MAX_NS));
}

int64_t wait_schedule_due_ns(const struct wait_schedule *schedule, int64_t look_ns)
{
    return schedule->triggered ? schedule->next_ns
                               : min_i64(schedule->next_ns, look_ns + WAIT_LOOK_LATE_NS);
}
