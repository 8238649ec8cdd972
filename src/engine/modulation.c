/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/modulation.h"

#include <math.h>

/* Numbers of the random streams (RAND_MODULATION). */
enum { STREAM_STATES, STREAM_BURSTS };

static double draw_length(struct jumps *j)
{
    const double mean_s = j->mean_s[j->state];
    return j->random[j->state] ? mean_s * rand_stream_exponential(&j->stream) : mean_s;
}

/* Bursts with a period are computed from their number, so that rounding errors do not add up. The
 * burst of a period begins in its middle. */
static double next_jump(struct jumps *j)
{
    if (j->every_s == 0)
        return j->until_s + draw_length(j);
    const double begin_s = ((double)j->count + 0.5) * j->every_s;
    if (j->state == 0)
        return begin_s;
    j->count++;
    return begin_s + j->mean_s[1];
}

static void switch_state(struct jumps *j)
{
    j->state = 1 - j->state;
    j->until_s = next_jump(j);
}

/* The first state is drawn from the share of time of each, so the process starts in its steady
 * state: the time left in an exponential state is exponential, too. */
static struct jumps states_of(const struct arrival_law *law, uint64_t seed)
{
    struct jumps j = {.factor = {law->factor[0], law->factor[1]},
                      .mean_s = {law->mean_s[0], law->mean_s[1]},
                      .random = {true, true}};
    rand_stream_init(&j.stream, seed, RAND_MODULATION, STREAM_STATES);
    const double first = law->mean_s[0] / (law->mean_s[0] + law->mean_s[1]);
    j.state = rand_stream_double(&j.stream) < first ? 0 : 1;
    j.until_s = next_jump(&j);
    return j;
}

static struct jumps bursts_of(const struct arrival_burst *burst, uint64_t seed)
{
    struct jumps j = {.factor = {burst->factor[0], burst->factor[1]},
                      .mean_s = {burst->every_s - burst->length_s, burst->length_s},
                      .random = {burst->random, false},
                      .every_s = burst->random ? 0 : burst->every_s};
    rand_stream_init(&j.stream, seed, RAND_MODULATION, STREAM_BURSTS);
    j.until_s = next_jump(&j);
    return j;
}

/* Begins the stretch at from_s with the present states. */
static void begin_stretch(struct modulation *m)
{
    m->factor = 1;
    m->until_s = INFINITY;
    for (unsigned i = 0; i < m->count; i++) {
        m->factor *= m->jumps[i].factor[m->jumps[i].state];
        m->until_s = fmin(m->until_s, m->jumps[i].until_s);
    }
    m->until_plain = isinf(m->until_s) ? INFINITY : rate_profile_arrivals(m->profile, m->until_s);
}

static void next_stretch(struct modulation *m)
{
    m->from_modulated += m->factor * (m->until_plain - m->from_plain);
    m->from_s = m->until_s;
    m->from_plain = m->until_plain;
    for (unsigned i = 0; i < m->count; i++)
        while (m->jumps[i].until_s <= m->from_s)
            switch_state(&m->jumps[i]);
    begin_stretch(m);
}

void modulation_init(struct modulation *m, const struct arrival_plan *plan, uint64_t seed)
{
    *m = (struct modulation){.profile = &plan->profile};
    if (plan->law.kind == LAW_MMPP)
        m->jumps[m->count++] = states_of(&plan->law, seed);
    if (plan->burst.every_s > 0)
        m->jumps[m->count++] = bursts_of(&plan->burst, seed);
    begin_stretch(m);
}

double modulation_arrivals(struct modulation *m, double at_s)
{
    while (at_s >= m->until_s)
        next_stretch(m);
    return m->from_modulated +
           m->factor * (rate_profile_arrivals(m->profile, at_s) - m->from_plain);
}

/* Returns true if the profile has no arrivals after the present stretch began. */
static bool is_over(const struct modulation *m)
{
    return m->from_plain == m->until_plain &&
           isinf(rate_profile_time(m->profile, m->from_plain * (1 + 1e-12) + 1e-9));
}

double modulation_time(struct modulation *m, double arrivals)
{
    while (m->factor == 0 ||
           arrivals > m->from_modulated + m->factor * (m->until_plain - m->from_plain)) {
        if (is_over(m))
            return INFINITY;
        next_stretch(m);
    }
    const double plain = m->from_plain + (arrivals - m->from_modulated) / m->factor;
    return fmin(fmax(rate_profile_time(m->profile, plain), m->from_s), m->until_s);
}
