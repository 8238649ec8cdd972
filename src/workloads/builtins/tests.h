/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declares the built-in tests. builtin_list.h has the table. */
#ifndef BUILTINS_TESTS_H
#define BUILTINS_TESTS_H

#include "workloads/builtins/builtin.h"

extern const struct builtin_ops cpu_test;
extern const struct builtin_ops fileio_test;
extern const struct builtin_ops memory_test;
extern const struct builtin_ops mutex_test;
extern const struct builtin_ops threads_test;

#endif
