/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of histogram_record() and histogram_drain() (src/stats/histogram.h): two threads record
 * into two buckets of one group, and one thread drains. Every value must be moved by exactly one
 * drain, and a value that no drain has moved must have left a mark.
 */
#include "model.hpp"

struct histogram : rl::test_suite<histogram, 3>
{
    rl::atomic<unsigned> bucket[2], dirty;
    unsigned drained; /* values moved by the draining thread */

    void before()
    {
        bucket[0].store(0, rl::memory_order_relaxed);
        bucket[1].store(0, rl::memory_order_relaxed);
        dirty.store(0, rl::memory_order_relaxed);
        drained = 0;
    }

    void record(unsigned i)
    {
        bucket[i].fetch_add(1, rl::memory_order_seq_cst);
        if (!dirty.load(rl::memory_order_seq_cst))
            dirty.store(1, rl::memory_order_seq_cst);
    }

    void drain()
    {
        if (!dirty.load(rl::memory_order_seq_cst))
            return;
        dirty.store(0, rl::memory_order_seq_cst);
        for (unsigned i = 0; i < 2; i++)
            if (bucket[i].load(IN_CODE(rl::memory_order_seq_cst, rl::memory_order_relaxed)) != 0)
                drained += bucket[i].exchange(0, rl::memory_order_seq_cst);
    }

    void thread(unsigned number)
    {
        if (number == 2) {
            drain();
            drain();
            return;
        }
        record(0);
        record(number);
    }

    void after()
    {
        drain();
        RL_ASSERT(drained == 4);
    }
};

CHECK_MODEL(histogram)
