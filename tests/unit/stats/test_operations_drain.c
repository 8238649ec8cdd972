/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A drain while another thread adds a new class and reports an error of it. The test compiles the
 * module into itself and replaces registry_count(): when the drain has counted the classes, the
 * steps of the other thread are executed, at the moment when they would do the most harm.
 */
#include <string.h>

#include "../suite.h"
#include "stats/registry.h"

static void (*after_count)(void);

static unsigned count_then_go_on(const struct registry *r)
{
    const unsigned count = registry_count(r);
    void (*go_on)(void) = after_count;
    after_count = NULL;
    if (go_on != NULL)
        go_on();
    return count;
}

#define registry_count count_then_go_on
#include "stats/operations.c"

static struct operations *shared;
static struct operations_thread other;

static void fail_in_a_new_class(void)
{
    const unsigned class = operations_class(&other, "new", strlen("new"));
    operations_error(&other, class, 1213, "40001", "Deadlock");
}

/* A receiver refuses totals in which an error refers to a class that they do not have. */
static void check_classes_are_there(const struct operation_totals *totals)
{
    for (unsigned i = 0; i < totals->errors; i++)
        ck_assert_uint_lt(totals->error[i].class, totals->classes);
}

START_TEST(errors_refer_to_classes_that_are_drained_with_them)
{
    struct operation_totals *totals = operation_totals_create();
    shared = operations_create(1);
    operations_join(shared, 0, &other);
    /* Classes are counted as soon as one of them is to be reported. */
    ck_assert_uint_eq(operations_class(&other, "old", strlen("old")), 0);
    after_count = fail_in_a_new_class;
    operations_drain(shared, totals);
    ck_assert_ptr_null(after_count);
    check_classes_are_there(totals);

    operations_drain(shared, totals);
    check_classes_are_there(totals);
    ck_assert_uint_eq(totals->errors, 1);
    ck_assert_uint_eq(totals->error[0].count, 1);
    ck_assert_uint_eq(totals->class[1].errors, 1);
    operation_totals_destroy(totals);
    operations_destroy(shared);
}
END_TEST

RUN_SUITE("operations_drain", 60, errors_refer_to_classes_that_are_drained_with_them)
