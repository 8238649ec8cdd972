/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/rank.h"

#include <math.h>

#include "../suite.h"
#include "base/util.h"

START_TEST(parts_add_up_and_differ_by_one_at_most)
{
    for (unsigned count = 1; count < 9; count++)
        for (int64_t total = 0; total < 40; total++) {
            int64_t sum = 0;
            for (unsigned i = 0; i < count; i++) {
                const int64_t part = rank_part(total, i, count);
                ck_assert_int_eq(rank_first(total, i, count), sum);
                ck_assert_int_ge(part, total / count);
                ck_assert_int_le(part, total / count + 1);
                if (i > 0)
                    ck_assert_int_le(part, rank_part(total, i - 1, count));
                sum += part;
            }
            ck_assert_int_eq(sum, total);
        }
}
END_TEST

START_TEST(a_rank_has_a_slot_for_each_worker)
{
    for (unsigned count = 2; count < 9; count++)
        for (int64_t threads = count; threads < 40; threads++)
            for (unsigned i = 0; i < count; i++) {
                const struct rank rank = rank_of(i, count, threads);
                int64_t slots = 0;
                for (int64_t slot = 0; slot < threads; slot++)
                    slots += rank_of_slot(&rank, (uint64_t)slot) == i;
                ck_assert_int_eq(slots, rank_threads(&rank));
            }
}
END_TEST

START_TEST(weighted_parts_add_up)
{
    const int64_t totals[] = {0, 1, 5, 1000, 131072, INT64_MAX};
    for (unsigned t = 0; t < ARRAY_SIZE(totals); t++)
        for (unsigned count = 2; count < 9; count++) {
            int64_t left = totals[t];
            for (unsigned i = 0; i < count; i++) {
                const struct rank rank = rank_of(i, count, 3 * count + 2);
                const int64_t part = rank_weighted_part(&rank, totals[t]);
                const double even = (double)totals[t] * rank_share(&rank);
                ck_assert_int_ge(part, 0);
                ck_assert(fabs((double)part - even) <= 1 + even * 1e-12);
                left -= part;
            }
            ck_assert_int_eq(left, 0);
        }
}
END_TEST

START_TEST(the_remainder_goes_to_the_first_ranks)
{
    const struct rank first = rank_of(0, 3, 8), last = rank_of(2, 3, 8);
    ck_assert_int_eq(rank_threads(&first), 3);
    ck_assert_int_eq(rank_threads(&last), 2);
    ck_assert_int_eq(last.first_thread, 6);
    ck_assert_int_eq(rank_weighted_part(&first, 1), 1);
    ck_assert_int_eq(rank_weighted_part(&last, 1), 0);
}
END_TEST

START_TEST(a_single_rank_has_all)
{
    const struct rank none = {0}, one = rank_of(0, 1, 5);
    ck_assert_int_eq(rank_weighted_part(&none, 77), 77);
    ck_assert_int_eq(rank_weighted_part(&one, 77), 77);
    ck_assert_double_eq(rank_share(&none), 1);
}
END_TEST

START_TEST(texts)
{
    static const char *const wrong[] = {
        "",    "1",    "/",    "1/",   "/2",   "2/2",           "-1/2",
        "0/0", "1/2x", " 1/2", "1 /2", "0/+2", "0/99999999999", "0/100001"};
    struct rank rank;
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++)
        ck_assert_msg(rank_check(wrong[i]) != NULL, "%s", wrong[i]);
    ck_assert_ptr_null(rank_parse(&rank, "3/17"));
    ck_assert_uint_eq(rank.number, 3);
    ck_assert_uint_eq(rank.count, 17);
    ck_assert_ptr_null(rank_parse(&rank, "0/1"));
}
END_TEST

RUN_SUITE("rank", 60, parts_add_up_and_differ_by_one_at_most, a_rank_has_a_slot_for_each_worker,
          weighted_parts_add_up, the_remainder_goes_to_the_first_ranks, a_single_rank_has_all,
          texts)
