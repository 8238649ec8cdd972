/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "base/vectors/vectors.h"

#define DIMENSIONS 7

static const struct vector_shape shape = {.seed = 5, .dimensions = DIMENSIONS, .clusters = 3};

START_TEST(distances)
{
    const float a[] = {1, 2, 3, 4, 5}, b[] = {1, 0, 3, 4, 2}, none[5] = {0};
    ck_assert_double_eq_tol(vector_distance(VECTOR_L2, a, b, 5), sqrt(13), 1e-12);
    ck_assert_double_eq_tol(vector_distance(VECTOR_INNER, a, b, 5), -36, 1e-12);
    ck_assert_double_eq_tol(vector_distance(VECTOR_COSINE, a, b, 5), 1 - 36 / sqrt(55.0 * 30),
                            1e-12);
    ck_assert_double_eq_tol(vector_distance(VECTOR_COSINE, a, a, 5), 0, 1e-12);
    ck_assert_double_eq(vector_distance(VECTOR_COSINE, a, none, 5), 1);
    ck_assert_double_eq_tol(vector_distance(VECTOR_L2, a, b, 2), 2, 1e-12);
}
END_TEST

/* With the distance itself as the limit the result is exact; a smaller limit is exceeded. */
START_TEST(distances_within_a_limit)
{
    const struct vector_shape wide = {.seed = 9, .dimensions = 131, .clusters = 3};
    float *centres = vector_centres(&wide), a[131], b[131];
    for (uint32_t i = 1; i <= 500; i++) {
        vector_draw(a, &wide, centres, i);
        vector_draw(b, &wide, centres, i + 500);
        for (unsigned metric = VECTOR_L2; metric <= VECTOR_INNER; metric++) {
            const double d = vector_distance(metric, a, b, 131);
            ck_assert_double_eq(vector_distance_within(metric, a, b, 131, d), d);
            ck_assert_double_eq(vector_distance_within(metric, a, b, 131, INFINITY), d);
            ck_assert_double_gt(vector_distance_within(metric, a, b, 131, d - 0.1), d - 0.1);
        }
        ck_assert(isinf(vector_distance_within(VECTOR_L2, a, b, 131, 2)));
    }
    free(centres);
}
END_TEST

START_TEST(text)
{
    const float v[] = {1.5f, -0.25f, 0, 12.0001f, -3};
    char out[5 * VECTOR_COMPONENT_BYTES + 2];
    float again[5];
    const size_t length = vector_text(out, v, 5);
    ck_assert_int_eq(strncmp(out, "[1.5000,-0.2500,0.0000,12.0001,-3.0000]", length), 0);
    ck_assert_uint_eq(vector_parse(again, 5, out, length), 5);
    ck_assert_int_eq(memcmp(v, again, sizeof(v)), 0);
    ck_assert_uint_eq(vector_parse(again, 4, out, length), 0);
}
END_TEST

/* Numbers that four decimals do not give exactly. */
START_TEST(text_of_any_number)
{
    const float v[] = {0.1f + 1e-5f, 1e-20f, -3.4028234e38f, 1.17549435e-38f, 1e-45f, 300000,
                       199999.984f,  255,    -0.00004f};
    char out[9 * VECTOR_COMPONENT_BYTES + 2];
    float again[9];
    const size_t length = vector_text(out, v, 9);
    ck_assert_uint_le(length, sizeof(out));
    ck_assert_uint_eq(vector_parse(again, 9, out, length), 9);
    ck_assert_int_eq(memcmp(v, again, sizeof(v)), 0);
}
END_TEST

static const char *const malformed[] = {"",      "[",    "]",     "[]",   "1,2",    "[1,]",
                                        "[,1]",  "[1 ]", "[1;2]", "[1e]", "[1e9e]", "[3.5e38]",
                                        "[nan]", "[-]",  "[.5]",  "[1.5", "1.5]",   "[[1]"};

START_TEST(malformed_text)
{
    float out[4];
    for (size_t i = 0; i < ARRAY_SIZE(malformed); i++)
        ck_assert_msg(vector_parse(out, 4, malformed[i], strlen(malformed[i])) == 0, "%s",
                      malformed[i]);
}
END_TEST

/* A vector depends on seed and number only, and its text is exact. */
START_TEST(data_can_be_repeated)
{
    float a[DIMENSIONS], b[DIMENSIONS], c[DIMENSIONS];
    char out[DIMENSIONS * VECTOR_COMPONENT_BYTES + 2];
    float *centres = vector_centres(&shape), *again = vector_centres(&shape);
    for (uint32_t i = 1; i <= 100; i++) {
        vector_draw(a, &shape, centres, i);
        vector_draw(b, &shape, again, i);
        ck_assert_int_eq(memcmp(a, b, sizeof(a)), 0);
        ck_assert_uint_eq(vector_parse(c, DIMENSIONS, out, vector_text(out, a, DIMENSIONS)),
                          DIMENSIONS);
        ck_assert_int_eq(memcmp(a, c, sizeof(a)), 0);
    }
    vector_draw(b, &shape, centres, 101);
    ck_assert_int_ne(memcmp(a, b, sizeof(a)), 0);
    free(centres);
    free(again);
}
END_TEST

#define DRAWN 30000

/*
 * Each vector is near to the centre of its cluster: the mean of its squared deviation is 1/4. With
 * n = 210 000 components the mean has a standard error of sqrt(2/n)/4 = 0.00077; the limit is 5 of
 * these. A cluster is drawn with probability 1/3: of 30 000 vectors 10 000, with a deviation of 82;
 * the limit is 6 of these. The nearest centre is the right one for nearly all vectors if centres
 * are far apart, so these have 64 dimensions.
 */
START_TEST(clusters_and_spread)
{
    const struct vector_shape wide = {.seed = 9, .dimensions = 64, .clusters = 3};
    float *centres = vector_centres(&wide), v[64];
    double squares = 0;
    unsigned count[3] = {0};
    for (uint32_t i = 1; i <= DRAWN; i++) {
        double least = INFINITY;
        unsigned nearest = 0;
        vector_draw(v, &wide, centres, i);
        for (unsigned c = 0; c < 3; c++) {
            const double d = vector_distance(VECTOR_L2, v, centres + 64 * c, 64);
            nearest = d < least ? c : nearest;
            least = fmin(least, d);
        }
        count[nearest]++;
        squares += least * least;
    }
    for (unsigned c = 0; c < 3; c++)
        ck_assert_int_le(abs((int)count[c] - DRAWN / 3), 492);
    ck_assert_double_eq_tol(squares / DRAWN / 64, 0.25, 0.0039);
    free(centres);
}
END_TEST

RUN_SUITE("vectors", 30, distances, distances_within_a_limit, text, text_of_any_number,
          malformed_text, data_can_be_repeated, clusters_and_spread)
