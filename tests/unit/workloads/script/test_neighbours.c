/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "../../suite.h"
#include "base/util.h"
#include "workloads/script/neighbours.h"

#define ROWS 300
#define QUERIES 7
#define K 5
#define DIMENSIONS 16

static struct neighbours *n;

static void create(enum vector_metric metric)
{
    const struct neighbours_plan plan = {
        .shape = {.seed = 3, .dimensions = DIMENSIONS, .clusters = 4},
        .metric = metric,
        .rows = ROWS,
        .queries = QUERIES,
        .k = K,
        .buckets = 10,
    };
    n = neighbours_create(&plan);
}

static void setup(void)
{
    create(VECTOR_L2);
}

static void teardown(void)
{
    neighbours_destroy(n);
}

static double distance_of(uint32_t query, uint32_t row, enum vector_metric metric)
{
    float a[DIMENSIONS], b[DIMENSIONS];
    neighbours_query(n, query, a);
    neighbours_row(n, row, b);
    return vector_distance(metric, a, b, DIMENSIONS);
}

static bool is_kept(uint32_t query, uint32_t row)
{
    const uint32_t first = neighbours_first_bucket(n, query % QUERIES);
    return query < QUERIES || (row % 100 >= first && row % 100 < first + 10);
}

/* Counts the rows that are nearer to the query than `row`: its rank, if no distances are equal. */
static unsigned rank_of(uint32_t query, uint32_t row, enum vector_metric metric)
{
    unsigned nearer = 0;
    for (uint32_t other = 1; other <= ROWS; other++)
        nearer += is_kept(query, other) &&
                  distance_of(query, other, metric) < distance_of(query, row, metric);
    return nearer;
}

static struct neighbours_search *search_rows(uint32_t first, uint32_t step, uint32_t from,
                                             uint32_t to)
{
    struct neighbours_search *s = neighbours_search_create(n, first, step);
    float v[DIMENSIONS];
    for (uint32_t row = from; row <= to; row++) {
        neighbours_row(n, row, v);
        neighbours_search_add(s, row, v);
    }
    return s;
}

static void check_answers(const struct neighbours_search *s, uint32_t first, uint32_t step,
                          enum vector_metric metric)
{
    double rows[K];
    for (uint32_t q = 0; q < 2 * QUERIES; q++) {
        if (q % QUERIES % step != first)
            continue;
        ck_assert_uint_eq(neighbours_search_answer(s, q, rows), K);
        for (uint32_t k = 0; k < K; k++) {
            ck_assert(is_kept(q, (uint32_t)rows[k]));
            ck_assert_uint_eq(rank_of(q, (uint32_t)rows[k], metric), k);
        }
    }
}

START_TEST(nearest_rows)
{
    for (unsigned metric = VECTOR_L2; metric <= VECTOR_INNER; metric++) {
        neighbours_destroy(n);
        create(metric);
        for (uint32_t first = 0; first < 2; first++) {
            struct neighbours_search *s = search_rows(first, 2, 1, ROWS);
            check_answers(s, first, 2, metric);
            neighbours_search_destroy(s);
        }
        struct neighbours_search *part = search_rows(0, 1, 1, 100),
                                 *rest = search_rows(0, 1, 101, ROWS);
        neighbours_search_merge(part, rest);
        check_answers(part, 0, 1, metric);
        neighbours_search_destroy(part);
        neighbours_search_destroy(rest);
    }
    neighbours_search_destroy(search_rows(QUERIES, 2, 1, ROWS)); /* a thread without queries */
}
END_TEST

static double answer[K];

/* Finds and adds the nearest rows of query 0. */
static void begin(void)
{
    struct neighbours_search *s = search_rows(0, QUERIES, 1, ROWS);
    neighbours_search_answer(s, 0, answer);
    for (unsigned k = 0; k < K; k++)
        neighbours_add(n, 0, (uint32_t)answer[k]);
    neighbours_search_destroy(s);
}

/* Returns the number of a new row that is nearer to query 0 than the k-th, or that is not. */
static uint32_t new_row(bool near)
{
    uint32_t row = ROWS + 1;
    while ((distance_of(0, row, VECTOR_L2) <
            0.99 * distance_of(0, (uint32_t)answer[K - 1], VECTOR_L2)) != near)
        row++;
    return row;
}

static void change(uint32_t row, bool insert)
{
    neighbours_change(n, row, insert, false);
    neighbours_change(n, row, insert, true);
}

START_TEST(recall_of_rows_that_do_not_change)
{
    ck_assert_double_eq(neighbours_recall(n, 0, neighbours_mark(n), answer, 0), -1);
    begin();
    const uint64_t mark = neighbours_mark(n);
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K), 1);
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K - 1), 0.8);
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, 0), 0);
    answer[1] = answer[0]; /* found twice */
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K), 0.8);
    answer[1] = 1; /* far */
    ck_assert_double_gt(distance_of(0, 1, VECTOR_L2),
                        distance_of(0, (uint32_t)answer[4], VECTOR_L2));
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K), 0.8);
}
END_TEST

START_TEST(inserted_rows_must_be_found)
{
    begin();
    const uint32_t near = new_row(true), far = new_row(false);
    change(far, true);
    ck_assert_double_eq(neighbours_recall(n, 0, neighbours_mark(n), answer, K), 1);
    change(near, true);
    const uint64_t mark = neighbours_mark(n);
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K), 0.8);
    answer[K - 1] = near;
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K), 1);
}
END_TEST

START_TEST(deleted_rows_must_not_be_found)
{
    double old[K];
    begin();
    for (unsigned k = 0; k < K; k++)
        old[k] = answer[k];
    const uint32_t near = new_row(true);
    change(near, true);
    old[K - 1] = near;
    change(near, false);
    const uint64_t mark = neighbours_mark(n);
    ck_assert_double_eq(neighbours_recall(n, 0, mark, old, K), 0.8);
    ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K), 1);
}
END_TEST

/* A row whose insert or delete overlaps the search may be found, and may be missed. */
START_TEST(changes_during_a_search)
{
    double with[K];
    begin();
    for (unsigned k = 0; k < K; k++)
        with[k] = answer[k];
    const uint32_t near = with[K - 1] = new_row(true);
    for (unsigned step = 0; step < 4; step++) {
        const bool insert = step < 2, done = step % 2 == 1;
        const uint64_t mark = neighbours_mark(n);
        neighbours_change(n, near, insert, done);
        ck_assert_double_eq(neighbours_recall(n, 0, mark, answer, K), 1);
        ck_assert_double_eq(neighbours_recall(n, 0, mark, with, K), 1);
    }
    ck_assert_double_eq(neighbours_recall(n, 0, neighbours_mark(n), with, K), 0.8);
}
END_TEST

/* Vector i of the file is {i, 1}; the last two of five are the queries. Rows after the third repeat
 * the rows from the first one on. */
START_TEST(rows_and_queries_of_a_file)
{
    static const uint8_t data[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 1, 2, 0, 0,
                                   0, 2, 1, 2, 0, 0, 0, 3, 1, 2, 0, 0, 0, 4, 1};
    struct vector_file file;
    float v[2];
    ck_assert_ptr_null(vector_file_use(&file, "a.bvecs", data, sizeof(data)));
    const struct neighbours_plan plan = {
        .shape.dimensions = 2, .file = &file, .rows = 2, .queries = 2, .k = 1, .buckets = 10};
    struct neighbours *of_file = neighbours_create(&plan);
    for (uint32_t row = 1; row <= 7; row++) {
        neighbours_row(of_file, row, v);
        ck_assert_float_eq(v[0], (float)((row - 1) % 3));
        ck_assert_float_eq(v[1], 1);
    }
    for (uint32_t query = 0; query < 4; query++) {
        neighbours_query(of_file, query, v);
        ck_assert_float_eq(v[0], (float)(3 + query % 2));
    }
    neighbours_destroy(of_file);
}
END_TEST

RUN_SUITE_WITH("neighbours", 30, setup, teardown, nearest_rows, recall_of_rows_that_do_not_change,
               inserted_rows_must_be_found, deleted_rows_must_not_be_found, changes_during_a_search,
               rows_and_queries_of_a_file)
