/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far the monotonic clock of another machine is ahead of ours, with bounds that hold whatever
 * the delays of the network are. We send a message at time s of our clock; the other machine
 * answers at time a of its clock; the answer arrives at time b of our clock. As the answer was sent
 * between s and b: a − b ≤ offset ≤ a − s. The tightest bounds of many round trips are kept (F.
 * Cristian, Probabilistic clock synchronization, 1989).
 */
#ifndef CLOCK_OFFSET_H
#define CLOCK_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

/* Offset = clock of the other machine − our clock, at one time or during a short period. */
struct clock_offset {
    int64_t least_ns, most_ns; /* lower and upper bound of the offset */
    unsigned rounds;           /* number of round trips; 0 if nothing is known */
};

struct clock_offset clock_offset_unknown(void);
/* Adds a round trip: sent_ns and back_ns by our clock, answered_ns by the other clock. */
void clock_offset_add(struct clock_offset *o, int64_t sent_ns, int64_t answered_ns,
                      int64_t back_ns);
/* Return the middle of the bounds, and the largest possible error of this value. */
int64_t clock_offset_ns(const struct clock_offset *o);
int64_t clock_offset_bound_ns(const struct clock_offset *o);
/* Returns false if the bounds contradict each other, which happens if a clock was stepped. */
bool clock_offset_holds(const struct clock_offset *o);

/* Bounds of how much the other clock gained on ours between `before` and `after`. */
struct clock_drift {
    int64_t least_ns, most_ns;
};
struct clock_drift clock_drift_of(const struct clock_offset *before,
                                  const struct clock_offset *after);
/*
 * Upper bound of the true distance between two events, one on each machine, that have the same time
 * after the offset of `before` is applied. The bound holds at any time from `before` to `after`,
 * provided that the clocks drift steadily.
 */
int64_t clock_alignment_ns(const struct clock_offset *before, const struct clock_offset *after);

#endif
