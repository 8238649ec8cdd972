/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the sequence lock (src/base/sequence_lock.h) as workers use it (src/engine/worker.c,
 * worker_pool_settled(), collect_last() in src/run/run_end.c). A worker ends one event and begins
 * the next while another thread reads the event in service and the counter of completed events.
 * Each event must be in exactly one of the two.
 */
#include "model.hpp"

struct sequence_lock : rl::test_suite<sequence_lock, 2>
{
    rl::atomic<unsigned> sequence, held, recorded;

    void before()
    {
        sequence.store(0, rl::memory_order_relaxed);
        held.store(1, rl::memory_order_relaxed);
        recorded.store(0, rl::memory_order_relaxed);
    }

    void begin_update()
    {
        sequence.store(sequence.load(rl::memory_order_relaxed) + 1, rl::memory_order_relaxed);
        rl::atomic_thread_fence(IN_CODE(rl::memory_order_release, rl::memory_order_relaxed));
    }

    void end_update()
    {
        sequence.store(sequence.load(rl::memory_order_relaxed) + 1, rl::memory_order_release);
    }

    void work()
    {
        for (unsigned event = 1; event <= 2; event++) {
            begin_update();
            recorded.store(event, rl::memory_order_relaxed);
            held.store(0, rl::memory_order_relaxed);
            end_update();
            begin_update();
            held.store(1, rl::memory_order_relaxed);
            end_update();
        }
    }

    bool settled(unsigned &n)
    {
        rl::atomic_thread_fence(rl::memory_order_acquire);
        n = sequence.load(rl::memory_order_acquire);
        return n % 2 == 0;
    }

    void account()
    {
        unsigned n, then, seen_held, seen_recorded;
        if (!settled(n))
            return; /* the caller would retry */
        seen_held = held.load(rl::memory_order_relaxed);
        seen_recorded = recorded.load(rl::memory_order_relaxed);
        if (!settled(then) || then != n)
            return;
        RL_ASSERT(seen_recorded == (n + 2) / 4);
        RL_ASSERT(seen_held == (n % 4 == 0));
    }

    void thread(unsigned number)
    {
        if (number == 0)
            work();
        else
            account();
    }
};

CHECK_MODEL(sequence_lock)
