/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the models of this folder share. A model has the shared memory of one lock-free part of the
 * program and nothing else, with the orders that stand in the code; relacy (Debian: relacy-dev) runs
 * it through schedules and through all values that the memory model of C11 allows a load to read.
 *
 * With -DBROKEN a model has one order less, which the checker must find: else it shows nothing.
 */
#ifndef MODEL_HPP
#define MODEL_HPP

#include <relacy/relacy.hpp>
#include <relacy/stdlib/pthread.hpp>

#ifdef BROKEN
#define IN_CODE(order, weaker) weaker
#else
#define IN_CODE(order, weaker) order
#endif

template <typename model> static inline bool holds()
{
    rl::test_params p;
    p.iteration_count = 300000;
    p.execution_depth_limit = 2000;
    return rl::simulate<model>(p);
}

/* main(): the exit code is 0 where nothing was found. */
#define CHECK_MODEL(model)                                                                         \
    int main()                                                                                     \
    {                                                                                              \
        return holds<model>() ? 0 : 1;                                                             \
    }
#define CHECK_MODELS(one, other)                                                                   \
    int main()                                                                                     \
    {                                                                                              \
        return holds<one>() && holds<other>() ? 0 : 1;                                             \
    }

#endif
