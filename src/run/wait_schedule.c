/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/wait_schedule.h"

#include <math.h>

/* Shortest mean time between the end of a gap and the next sample. */
#define PAUSE_MIN_NS (5.0 * NS_PER_MS)
#define LATE_MIN_NS NS_PER_MS

static double mean_ns(double per_second, int64_t gap_ns)
{
    const double ns = NS_PER_SEC / per_second;
    return gap_ns > 0 ? fmax(PAUSE_MIN_NS, ns - (double)gap_ns) : ns;
}

void wait_schedule_init(struct wait_schedule *schedule, double per_second, uint64_t seed,
                        unsigned stream)
{
    *schedule = (struct wait_schedule){.next_ns = 0};
    rand_stream_init(&schedule->stream, seed, RAND_SAMPLE, stream);
    wait_schedule_set_gap(schedule, per_second, 0);
}

void wait_schedule_set_gap(struct wait_schedule *schedule, double per_second, int64_t gap_ns)
{
    schedule->slow_ns = mean_ns(per_second, gap_ns);
    schedule->fast_ns = mean_ns(WAIT_TRIGGER_FACTOR * per_second, gap_ns);
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
    if (triggered != schedule->triggered && now_ns < schedule->next_ns)
        wait_schedule_draw(schedule, max_i64(now_ns, schedule->from_ns), triggered);
}

int64_t wait_schedule_late_ns(double per_second)
{
    const int64_t ns = (int64_t)mean_ns(WAIT_TRIGGER_FACTOR * per_second, 0);
    return max_i64(LATE_MIN_NS, min_i64(WAIT_LOOK_LATE_MAX_NS, ns));
}

int64_t wait_schedule_look_ns(int64_t now_ns, int64_t calm_until_ns, int64_t late_ns)
{
    return max_i64(now_ns + late_ns / 10, min_i64(calm_until_ns, now_ns + WAIT_LOOK_MAX_NS));
}

int64_t wait_schedule_due_ns(const struct wait_schedule *schedule, int64_t look_ns, int64_t late_ns)
{
    if (schedule->triggered)
        return schedule->next_ns;
    return min_i64(schedule->next_ns, max_i64(look_ns + late_ns, schedule->from_ns));
}
