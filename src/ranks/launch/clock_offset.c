/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/clock_offset.h"

#include "base/util.h"

struct clock_offset clock_offset_unknown(void)
{
    return (struct clock_offset){.least_ns = INT64_MIN, .most_ns = INT64_MAX};
}

void clock_offset_add(struct clock_offset *o, int64_t sent_ns, int64_t answered_ns, int64_t back_ns)
{
    o->least_ns = max_i64(o->least_ns, answered_ns - back_ns);
    o->most_ns = min_i64(o->most_ns, answered_ns - sent_ns);
    o->rounds++;
}

/* Two monotonic clocks can differ by years, the uptime of a machine. The difference of the two
 * bounds is small, but their sum could overflow. */
int64_t clock_offset_ns(const struct clock_offset *o)
{
    return o->rounds > 0 ? o->least_ns + (o->most_ns - o->least_ns) / 2 : 0;
}

int64_t clock_offset_bound_ns(const struct clock_offset *o)
{
    if (o->rounds == 0)
        return INT64_MAX;
    return (o->most_ns - o->least_ns + 1) / 2;
}

bool clock_offset_holds(const struct clock_offset *o)
{
    return o->rounds > 0 && o->least_ns <= o->most_ns;
}

struct clock_drift clock_drift_of(const struct clock_offset *before,
                                  const struct clock_offset *after)
{
    return (struct clock_drift){.least_ns = after->least_ns - before->most_ns,
                                .most_ns = after->most_ns - before->least_ns};
}

int64_t clock_alignment_ns(const struct clock_offset *before, const struct clock_offset *after)
{
    int64_t ns = clock_offset_ns(before);
    int64_t first_ns = max_i64(before->most_ns - ns, ns - before->least_ns);
    int64_t last_ns = max_i64(after->most_ns - ns, ns - after->least_ns);
    return max_i64(first_ns, last_ns);
}
