/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares of the waits in a span of time. */
#include "result/waits/wait_span.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "stats/waits/wait_history.h"

static struct wait_names names;
static struct wait_moment from, to;
static struct wait_span span;
static unsigned row, table, file;

static void before(void)
{
    wait_names_init(&names);
    row = wait_names_label(&names, "Lock:row");
    table = wait_names_label(&names, "wait/lock/table");
    file = wait_names_label(&names, "IO:WALSync");
    from = to = (struct wait_moment){.names = &names, .labels = names.labels};
}

static void after(void) {}

/* Adds samples after the beginning of the span. */
static void sample(unsigned label, unsigned count, double weight_ns)
{
    to.sums.samples += count;
    to.sums.weight_ns[label] += weight_ns;
}

static double sum_of_shares(void)
{
    double sum = span.late + span.queued + span.undivided;
    for (unsigned i = 0; i < WAIT_LABELS; i++)
        sum += span.share[i];
    return sum;
}

static void assert_share(double share, double expected)
{
    ck_assert_double_eq_tol(share, expected, 1e-12);
}

START_TEST(shares_add_up_to_all_of_the_time)
{
    from.sums.weight_ns[row] = to.sums.weight_ns[row] = 5e9; /* before the span */
    sample(row, 3, 3e8);
    sample(WAIT_LABEL_CPU, 1, 1e8);
    wait_span_between(&span, &from, &to, &(struct wait_times){1e9, 3e9, 4e9});
    assert_share(span.late, 0.125);
    assert_share(span.queued, 0.375);
    assert_share(span.share[row], 0.375);
    assert_share(span.share[WAIT_LABEL_CPU], 0.125);
    assert_share(sum_of_shares(), 1);
    ck_assert_uint_eq(span.samples, 4);
}
END_TEST

START_TEST(service_without_samples_is_not_divided)
{
    wait_span_between(&span, &from, &to, &(struct wait_times){0, 1e9, 3e9});
    assert_share(span.undivided, 0.75);
    assert_share(sum_of_shares(), 1);
}
END_TEST

START_TEST(without_requests_all_shares_are_0)
{
    wait_span_between(&span, &from, &to, &(struct wait_times){0, 0, 0});
    assert_share(sum_of_shares(), 0);
    wait_span_of(&span, &to);
    assert_share(sum_of_shares(), 0);
}
END_TEST

START_TEST(the_largest_waits_come_first)
{
    unsigned label[3] = {0};
    sample(file, 1, 1e8);
    ck_assert_uint_eq((wait_span_of(&span, &to), wait_span_top(&span, label, 3)), 1);
    ck_assert_uint_eq(label[0], file);
    sample(row, 3, 3e8);
    sample(table, 2, 2e8);
    sample(WAIT_LABEL_CPU, 4, 4e8);
    wait_span_of(&span, &to);
    ck_assert_uint_eq(wait_span_top(&span, label, 3), 3);
    ck_assert_uint_eq(label[0], WAIT_LABEL_CPU);
    ck_assert_uint_eq(label[1], row);
    ck_assert_uint_eq(label[2], table);
    assert_share(span.share[row], 0.3);
}
END_TEST

START_TEST(kinds_are_found_by_name)
{
    wait_span_of(&span, &to);
    ck_assert_int_eq(wait_span_kind(&span, row), WAIT_KIND_LOCKS);
    ck_assert_int_eq(wait_span_kind(&span, table), WAIT_KIND_LOCKS);
    ck_assert_int_eq(wait_span_kind(&span, file), WAIT_KIND_IO);
    ck_assert_int_eq(wait_span_kind(&span, WAIT_LABEL_ABSENT), WAIT_KIND_CLIENT);
    ck_assert_int_eq(wait_span_kind(&span, WAIT_LABEL_NOT_CONNECTED), WAIT_KIND_SILENT);
}
END_TEST

/* One sample is older than those before it, as after a time without an answer. */
START_TEST(the_history_has_the_samples_of_a_span)
{
    struct wait_history history = {.count = 0};
    struct wait_sums sums;
    for (int64_t at_ns = 0; at_ns < NS_PER_SEC; at_ns += 10 * NS_PER_MS)
        wait_history_add(&history, 5 * NS_PER_SEC + at_ns, row, NS_PER_MS);
    wait_history_add(&history, 5 * NS_PER_SEC + 250 * NS_PER_MS, file, 7.0 * NS_PER_MS);
    wait_history_between(&history, 5 * NS_PER_SEC + 200 * NS_PER_MS,
                         5 * NS_PER_SEC + 500 * NS_PER_MS, &sums);
    ck_assert_uint_eq(sums.samples, 31);
    ck_assert_double_eq_tol(sums.weight_ns[row], 30.0 * NS_PER_MS, 1000);
    ck_assert_double_eq_tol(sums.weight_ns[file], 7.0 * NS_PER_MS, 1000);
    ck_assert_uint_eq(history.all.samples, 101);
    ck_assert_uint_le(history.count, 11); /* samples of a slot are one entry */
    wait_history_between(&history, 0, 4 * NS_PER_SEC, &sums);
    ck_assert_uint_eq(sums.samples, 0);
    wait_history_fini(&history);
}
END_TEST

RUN_SUITE_WITH("wait_span", 30, before, after, shares_add_up_to_all_of_the_time,
               service_without_samples_is_not_divided, without_requests_all_shares_are_0,
               the_largest_waits_come_first, kinds_are_found_by_name,
               the_history_has_the_samples_of_a_span)
