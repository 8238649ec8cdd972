/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "../suite.h"
#include "base/sort.h"

START_TEST(whole_numbers)
{
    int64_t values[] = {3, INT64_MIN, -1, INT64_MAX, 3, 0};
    static const int64_t sorted[] = {INT64_MIN, -1, 0, 3, 3, INT64_MAX};
    sort_i64(values, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(values[i], sorted[i]);
}
END_TEST

START_TEST(doubles)
{
    double values[] = {0.5, -INFINITY, 1e300, -2, INFINITY, 0.25};
    static const double sorted[] = {-INFINITY, -2, 0.25, 0.5, 1e300, INFINITY};
    sort_doubles(values, 6);
    for (int i = 0; i < 6; i++)
        ck_assert(values[i] == sorted[i]);
}
END_TEST

START_TEST(empty_arrays_may_be_null)
{
    sort_i64(NULL, 0);
    sort_doubles(NULL, 0);
}
END_TEST

RUN_SUITE("sort", 30, whole_numbers, doubles, empty_arrays_may_be_null)
