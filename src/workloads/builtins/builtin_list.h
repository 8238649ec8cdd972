/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of built-in tests. */
#ifndef BUILTIN_LIST_H
#define BUILTIN_LIST_H

#include "workloads/builtins/builtin.h"

/* All built-in tests, in the order of the help text. The last entry is NULL. */
extern const struct builtin_ops *const builtin_tests[];

/* Returns NULL if there is no test of this name. */
const struct builtin_ops *builtin_find(const char *name);

#endif
