/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

#include <stdlib.h>

static int compare_i64(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void sort_i64(int64_t *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof(*values), compare_i64);
}

void sort_doubles(double *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof(*values), compare_doubles);
}
