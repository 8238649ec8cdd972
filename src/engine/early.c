/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/early.h"

#include "base/util.h"

#define MOST_NS (100 * NS_PER_US)
/* How much the lead changes with each wake-up. */
#define STEP_NS (NS_PER_US / 4)
/* Means are taken over about 16 wake-ups. A lead that spends too much CPU time is reduced in about
 * as many wake-ups. */
#define TAKERS 16

int64_t early_ns(const struct early *early)
{
    return atomic_load_explicit(&early->ns, memory_order_relaxed);
}

/* Moves a mean towards the new value and returns the new mean. If two threads do this at the same
 * time, one step may be lost, which is harmless. */
static int64_t follow(atomic_int_least64_t *mean_ns, int64_t value_ns)
{
    int64_t mean = atomic_load_explicit(mean_ns, memory_order_relaxed);
    mean += (value_ns - mean) / TAKERS;
    atomic_store_explicit(mean_ns, mean, memory_order_relaxed);
    return mean;
}

/* Returns by how much to change the lead. Equal steps up and down settle where half of the workers
 * wake late. If spinning exceeds its budget by `over_ns`, the lead shrinks faster. */
static int64_t step_ns(int64_t over_ns, bool late)
{
    if (over_ns > 0)
        return -max_i64(STEP_NS, over_ns / TAKERS);
    return late ? STEP_NS : -STEP_NS;
}

void early_learn(struct early *early, int64_t now_ns, int64_t due_ns)
{
    int64_t last_ns = atomic_exchange_explicit(&early->last_ns, now_ns, memory_order_relaxed);
    if (last_ns == 0)
        return;
    int64_t gap_ns = follow(&early->mean_gap_ns, max_i64(0, now_ns - last_ns));
    int64_t budget_ns = min_i64(EARLY_SPIN_NS, gap_ns / EARLY_SPIN_SHARE);
    int64_t spin_ns = follow(&early->mean_spin_ns, max_i64(0, due_ns - now_ns));
    int64_t next_ns = early_ns(early) + step_ns(spin_ns - budget_ns, now_ns > due_ns);
    atomic_store_explicit(&early->ns, max_i64(0, min_i64(MOST_NS, next_ns)), memory_order_relaxed);
}
