/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/builtins/builtin_list.h"

#include <string.h>

#include "workloads/builtins/tests.h"

const struct builtin_ops *const builtin_tests[] = {
    &fileio_test, &cpu_test, &memory_test, &threads_test, &mutex_test, NULL,
};

const struct builtin_ops *builtin_find(const char *name)
{
    const struct builtin_ops *const *ops = builtin_tests;
    while (*ops != NULL && strcmp((*ops)->name, name) != 0)
        ops++;
    return *ops;
}
