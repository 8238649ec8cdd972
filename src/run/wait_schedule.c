/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/wait_schedule.h"

#include <math.h>

#include "base/util.h"

/* Shortest mean time between the end of a gap and the next sample. */
#define PAUSE_MIN_NS (5.0 * NS_PER_MS)

static double mean_ns(double per_second, int64_t gap_ns)
{
    const double ns = NS_PER_SEC / per_second;
    return gap_ns > 0 ? fmax(PAUSE_MIN_NS, ns - (double)gap_ns) : ns;
}

void wait_schedule_init(struct wait_schedule *schedule, double per_second, int64_t gap_ns,
                        uint64_t seed, unsigned stream)
{
    schedule->slow_ns = mean_ns(per_second, gap_ns);
    schedule->fast_ns = mean_ns(WAIT_TRIGGER_FACTOR * per_second, gap_ns);
    schedule->certain = false;
    rand_stream_init(&schedule->stream, seed, RAND_SAMPLE, stream);
}

static int64_t after(struct wait_schedule *schedule, int64_t from_ns, double mean_ns)
{
    return from_ns + (int64_t)(rand_stream_exponential(&schedule->stream) * mean_ns) + 1;
}

int64_t wait_schedule_next_ns(struct wait_schedule *schedule, int64_t from_ns,
                              int64_t calm_until_ns)
{
    const int64_t at_ns = after(schedule, from_ns, schedule->slow_ns);
    schedule->certain = at_ns < calm_until_ns;
    return schedule->certain ? at_ns
                             : after(schedule, max_i64(from_ns, calm_until_ns), schedule->fast_ns);
}

double wait_schedule_accept(struct wait_schedule *schedule, bool triggered)
{
    if (schedule->certain)
        return schedule->slow_ns;
    const double probability = triggered ? 1 : schedule->fast_ns / schedule->slow_ns;
    if (rand_stream_double(&schedule->stream) >= probability)
        return 0;
    return triggered ? schedule->fast_ns : schedule->slow_ns;
}
