/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes of plans, as PostgreSQL, MySQL and MariaDB write them. */
#include <string.h>

#include "../suite.h"
#include "result/waits/plans.h"
#include "sql/plan_shape.h"

static void check_shape(const char *json, const char *expected)
{
    char *shape = plan_shape(json, strlen(json));
    ck_assert_ptr_nonnull(shape);
    ck_assert_str_eq(shape, expected);
    free(shape);
}

START_TEST(a_plan_of_postgresql)
{
    check_shape(
        "[{\"Plan\": {\"Node Type\": \"Hash Join\", \"Join Type\": \"Inner\", \"Total Cost\": 1.5, "
        "\"Plans\": ["
        "{\"Node Type\": \"Seq Scan\", \"Relation Name\": \"a\", \"Filter\": \"(id = 5)\"},"
        "{\"Node Type\": \"Index Scan\", \"Index Name\": \"b_key\", \"Relation Name\": \"b\"}]}}]",
        "Hash Join Inner ( Seq Scan a ) ( Index Scan b b_key )");
}
END_TEST

START_TEST(a_plan_of_mariadb)
{
    check_shape("{\"query_block\": {\"select_id\": 1, \"filesort\": {\"sort_key\": \"c\", "
                "\"temporary_table\": {\"nested_loop\": ["
                "{\"table\": {\"table_name\": \"a\", \"access_type\": \"range\", \"key\": "
                "\"PRIMARY\", \"rows\": 7,"
                " \"attached_condition\": \"a.id < 99\"}}]}}}}",
                "filesort( temporary_table( nested_loop( a range PRIMARY ) ) )");
}
END_TEST

START_TEST(a_plan_of_mysql_9)
{
    check_shape("{\"query\": \"SELECT 7\", \"query_plan\": {\"inputs\": ["
                "{\"operation\": \"Index lookup on a using k_1 (k = 5)\", \"table_name\": \"a\", "
                "\"access_type\": \"index\", \"index_name\": \"k_1\", "
                "\"index_access_type\": \"index_lookup\"},"
                "{\"table_name\": \"b\", \"access_type\": \"table\", \"estimated_rows\": 9.0}],"
                "\"access_type\": \"join\", \"join_algorithm\": \"hash\"}}",
                "join hash ( a index k_1 index_lookup ) ( b table )");
}
END_TEST

/* Costs, numbers of rows and values are not part of the shape; an index is. */
START_TEST(what_makes_a_difference)
{
    static const char with[] = "{\"table\": {\"table_name\": \"a\", \"access_type\": \"ref\", "
                               "\"key\": \"k_1\", \"rows\": 1}}";
    static const char more[] = "{\"table\": {\"table_name\": \"a\", \"access_type\": \"ref\", "
                               "\"key\": \"k_1\", \"rows\": 9}}";
    static const char without[] =
        "{\"table\": {\"table_name\": \"a\", \"access_type\": \"ALL\", \"rows\": 9}}";
    char *a = plan_shape(with, strlen(with)), *b = plan_shape(more, strlen(more)),
         *c = plan_shape(without, strlen(without));
    ck_assert(!plan_changed(&(struct plan){.first = a, .last = b}));
    ck_assert(plan_changed(&(struct plan){.first = a, .last = c}));
    ck_assert(!plan_changed(&(struct plan){.first = a}));
    ck_assert_uint_eq(plan_hash(a), plan_hash(b));
    ck_assert_uint_ne(plan_hash(a), plan_hash(c));
    free(a);
    free(b);
    free(c);
}
END_TEST

START_TEST(a_text_that_is_no_plan)
{
    ck_assert_ptr_null(plan_shape("", 0));
    ck_assert_ptr_null(plan_shape("[{", 2));
    ck_assert_ptr_null(plan_shape("Seq Scan on a", 13));
    check_shape("[]", "");
    check_shape("{\"table_name\": 7, \"nested_loop\": 3}", "");
}
END_TEST

RUN_SUITE("plan_shape", 60, a_plan_of_postgresql, a_plan_of_mariadb, a_plan_of_mysql_9,
          what_makes_a_difference, a_text_that_is_no_plan)
