/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of sleeping and waking in the queue (src/engine/queue.c). One thread puts two requests. In
 * the first model, two threads take one request each. In the second model, the first thread also
 * seals the queue, and the two threads take until the queue is sealed and empty. After a lost
 * wake-up a taker never wakes. The ring of concurrencykit is modelled as a count.
 */
#include "model.hpp"

template <bool seals>
struct queue : rl::test_suite<queue<seals>, 3>
{
    rl::atomic<int> length, sleepers, granted, sealed, taken;
    sem_t permits;

    void before()
    {
        length.store(0, rl::memory_order_relaxed);
        sleepers.store(0, rl::memory_order_relaxed);
        granted.store(0, rl::memory_order_relaxed);
        sealed.store(0, rl::memory_order_relaxed);
        taken.store(0, rl::memory_order_relaxed);
        sem_init(&permits, 0, 0);
    }

    void fence()
    {
        rl::atomic_thread_fence(IN_CODE(rl::memory_order_seq_cst, rl::memory_order_acq_rel));
    }

    bool claim_sleeper()
    {
        int n = sleepers.load(rl::memory_order_seq_cst);
        while (n > 0)
            if (sleepers.compare_exchange_weak(n, n - 1, rl::memory_order_seq_cst))
                return true;
        return false;
    }

    bool wake_one()
    {
        if (!claim_sleeper())
            return false;
        granted.fetch_add(1, rl::memory_order_seq_cst);
        sem_post(&permits);
        return true;
    }

    void put()
    {
        length.fetch_add(1, rl::memory_order_release);
        fence();
        while (sleepers.load(rl::memory_order_seq_cst) > 0 &&
               length.load(rl::memory_order_relaxed) > granted.load(rl::memory_order_seq_cst))
            if (!wake_one())
                return;
    }

    void seal()
    {
        sealed.fetch_or(1, rl::memory_order_seq_cst);
        fence();
        while (wake_one())
            ;
    }

    bool ring_take()
    {
        int n = length.load(rl::memory_order_relaxed);
        while (n > 0)
            if (length.compare_exchange_weak(n, n - 1, rl::memory_order_acquire))
                return true;
        return false;
    }

    bool has_reason_to_look()
    {
        return length.load(rl::memory_order_relaxed) > 0 ||
               sealed.load(rl::memory_order_seq_cst) != 0;
    }

    void sleep_until_woken()
    {
        sleepers.fetch_add(1, rl::memory_order_seq_cst);
        fence();
        if (has_reason_to_look() && claim_sleeper())
            return;
        while (sem_wait(&permits) != 0)
            ;
        granted.fetch_sub(1, rl::memory_order_seq_cst);
        fence();
    }

    void take_all()
    {
        for (;;) {
            int state = sealed.load(rl::memory_order_acquire);
            if (ring_take()) {
                taken.fetch_add(1, rl::memory_order_relaxed);
                if (!seals)
                    return;
            } else if (state != 0) {
                return;
            } else {
                sleep_until_woken();
            }
        }
    }

    void thread(unsigned number)
    {
        if (number > 0) {
            take_all();
            return;
        }
        put();
        put();
        if (seals)
            seal();
    }

    void after()
    {
        sem_destroy(&permits);
        RL_ASSERT(taken.load(rl::memory_order_relaxed) == 2);
        RL_ASSERT(sleepers.load(rl::memory_order_relaxed) == 0);
        RL_ASSERT(granted.load(rl::memory_order_relaxed) == 0);
    }
};

CHECK_MODELS(queue<false>, queue<true>)
