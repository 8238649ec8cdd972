/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of built-in tests. */
#ifndef BUILTIN_LIST_H
#define BUILTIN_LIST_H

#include "workloads/builtins/builtin.h"

/* The tests that there are, in the order of help; NULL behind the last. */
extern const struct builtin_ops *const builtin_tests[];

/* NULL: there is none of that name. */
const struct builtin_ops *builtin_find(const char *name);

#endif
