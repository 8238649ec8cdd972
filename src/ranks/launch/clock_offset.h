/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far the monotonic clock of another machine is ahead of ours, with a bound that holds whatever
 * the network does. An answer that the other gave at its time `a` to what we sent at `s`, and that
 * was back here at `b`, was given between the two: a − b ≤ offset ≤ a − s. The tightest bounds of
 * many round trips are kept (F. Cristian, Probabilistic clock synchronization, 1989).
 */
#ifndef CLOCK_OFFSET_H
#define CLOCK_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

/* The offset is the other's clock − ours, at one time or over a short one. */
struct clock_offset {
    int64_t least_ns, most_ns; /* it is not below, and not above */
    unsigned rounds;           /* 0: nothing is known */
};

struct clock_offset clock_offset_unknown(void);
/* One more round trip: sent and back by our clock, answered by the other's. */
void clock_offset_add(struct clock_offset *o, int64_t sent_ns, int64_t answered_ns,
                      int64_t back_ns);
/* The middle of the bounds, and how far the truth can be from it at most. */
int64_t clock_offset_ns(const struct clock_offset *o);
int64_t clock_offset_bound_ns(const struct clock_offset *o);
/* False: the bounds contradict each other, because a clock was moved meanwhile. */
bool clock_offset_holds(const struct clock_offset *o);

/*
 * How much the clocks have moved against each other from `before` to `after` at least and at most.
 */
struct clock_drift {
    int64_t least_ns, most_ns;
};
struct clock_drift clock_drift_of(const struct clock_offset *before,
                                  const struct clock_offset *after);
/*
 * How far apart two moments may be at most that have the same name on both clocks by the offset of
 * `before`, at any time from `before` to `after`, where clocks drift steadily.
 */
int64_t clock_alignment_ns(const struct clock_offset *before, const struct clock_offset *after);

#endif
