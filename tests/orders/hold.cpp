/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model of the recall of takers that wait for an arrival (src/engine/hold.c, queue.c). One thread
 * sets the state and reads the number of holders of a semaphore. Two threads wait there for an
 * arrival that never comes; both must be woken.
 */
#include "model.hpp"

struct hold : rl::test_suite<hold, 3>
{
    rl::atomic<int> state, holders;
    sem_t recalled;

    void before()
    {
        state.store(0, rl::memory_order_relaxed);
        holders.store(0, rl::memory_order_relaxed);
        sem_init(&recalled, 0, 0);
    }

    void wait()
    {
        holders.fetch_add(1, IN_CODE(rl::memory_order_seq_cst, rl::memory_order_relaxed));
        while (state.load(IN_CODE(rl::memory_order_seq_cst, rl::memory_order_relaxed)) == 0)
            sem_wait(&recalled);
        holders.fetch_sub(1, rl::memory_order_seq_cst);
    }

    void recall()
    {
        state.fetch_or(1, rl::memory_order_seq_cst);
        for (int n = holders.load(rl::memory_order_seq_cst); n > 0; n--)
            sem_post(&recalled);
    }

    void thread(unsigned number)
    {
        if (number == 0)
            recall();
        else
            wait();
    }

    void after()
    {
        sem_destroy(&recalled);
    }
};

CHECK_MODEL(hold)
