/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared code of the models in this folder. A model is the shared memory of one lock-free part of
 * the program, with the memory orders of the code. relacy (Debian: relacy-dev) runs the model
 * through many schedules, and through all values that the C11 memory model allows each load to
 * read.
 *
 * With -DBROKEN a model has one weaker order. The checker must find this error; otherwise the model
 * proves nothing.
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

/* main() returns 0 if no error was found. */
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
