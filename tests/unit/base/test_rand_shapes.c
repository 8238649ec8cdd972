/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the distributions of rand.h with their formulas. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "../statistics.h"
#include "../suite.h"
#include "base/rand.h"
#include "base/sort.h"
#include "base/util.h"

static void assert_uniform(struct rand *r, double a, double b, unsigned cells)
{
    uint64_t seen[1024] = {0};
    double expected[1024];
    int wrong = 0;

    for (unsigned i = 0; i < cells; i++)
        expected[i] = (double)DRAWS / cells;
    for (int i = 0; i < DRAWS; i++) {
        double x = rand_uniform(r, a, b);
        wrong += !(x >= a && x <= b && x == floor(x));
        seen[(unsigned)((x - a) * cells / (b - a + 1))]++;
    }
    ck_assert_int_eq(wrong, 0);
    assert_chi_square(seen, expected, cells);
}

START_TEST(uniform_fits_chi_square)
{
    struct rand_config c = config();
    struct rand r;
    rand_init(&r, &c, 0);
    assert_uniform(&r, 1, 100, 100);
    assert_uniform(&r, -500, 499, 1000);
    assert_uniform(&r, 0, 0xffffffffu, 256);
    /* Taking a remainder would favour the lower half of the 3 · 2^51 values by a third. */
    assert_uniform(&r, 0, 3 * 0x1p51 - 1, 96);
}
END_TEST

START_TEST(below_has_no_bias)
{
    /* n = 3 · 2^62: with x mod n, or the product alone, a third of the values would be twice as
     * frequent. */
    uint64_t n = UINT64_C(3) << 62, seen[3] = {0};
    double expected[3] = {DRAWS / 3.0, DRAWS / 3.0, DRAWS / 3.0};
    struct rand_stream s;

    rand_stream_init(&s, 1, RAND_WORKLOAD, 0);
    for (int i = 0; i < DRAWS; i++)
        seen[rand_stream_below(&s, n) % 3]++;
    assert_chi_square(seen, expected, 3);
    rand_stream_init(&s, 1, RAND_WORKLOAD, 0);
    memset(seen, 0, sizeof(seen));
    for (int i = 0; i < DRAWS; i++)
        seen[rand_stream_below(&s, n) >> 62]++;
    assert_chi_square(seen, expected, 3);
}
END_TEST

START_TEST(bounds_are_whole_and_in_order)
{
    struct rand_config c = config();
    struct rand r;
    double (*const draw[])(struct rand *, double, double) = {
        rand_uniform, rand_gaussian, rand_special, rand_pareto, rand_zipfian, rand_default,
    };

    rand_init(&r, &c, 0);
    for (unsigned d = 0; d < ARRAY_SIZE(draw); d++) {
        bool seen[3] = {false};
        int wrong = 0;
        for (int i = 0; i < 2000; i++) {
            wrong += draw[d](&r, 7, 7) != 7;
            double x = draw[d](&r, 1, -1);
            ck_assert(x == -1 || x == 0 || x == 1);
            seen[(int)x + 1] = true;
            x = draw[d](&r, -1e300, 1e300);
            wrong += !(fabs(x) <= 0x1p53 && x == floor(x));
            wrong += !(fabs(draw[d](&r, NAN, 3)) <= 0x1p53);
        }
        ck_assert_int_eq(wrong, 0);
        ck_assert(seen[0] && seen[1] && seen[2]);
    }
}
END_TEST

START_TEST(gaussian_has_its_moments)
{
    /*
     * The mean of k uniform numbers on a range of n has the mean n/2 and the variance n²/12k.
     * Rounding down subtracts 1/2 from the mean and adds at most 1/12 to the variance. The excess
     * kurtosis is −1.2/k, so the variance of the estimated variance is σ⁴(2 − 1.2/k)/draws.
     */
    const int iterations[] = {1, 2, 12};
    for (unsigned t = 0; t < ARRAY_SIZE(iterations); t++) {
        struct rand_config c = config();
        struct rand r;
        double n = 100000, sum = 0, squares = 0, k = iterations[t];

        c.spec_iter = iterations[t];
        rand_init(&r, &c, 0);
        for (int i = 0; i < DRAWS; i++) {
            double x = rand_gaussian(&r, 1, n);
            sum += x;
            squares += (x - n / 2) * (x - n / 2);
        }
        double variance = n * n / (12 * k);
        ck_assert_double_eq_tol(sum / DRAWS, n / 2 + 0.5, SIGMAS * sqrt(variance / DRAWS));
        ck_assert_double_eq_tol(squares / DRAWS, variance + 0.25,
                                1 + SIGMAS * variance * sqrt((2 - 1.2 / k) / DRAWS));
    }
}
END_TEST

START_TEST(gaussian_of_two_is_a_triangle)
{
    struct rand_config c = config();
    struct rand r;
    uint64_t seen[10] = {0};
    double expected[10];

    c.spec_iter = 2;
    rand_init(&r, &c, 0);
    for (int i = 0; i < DRAWS; i++)
        seen[(int)rand_gaussian(&r, 0, 9)]++;
    for (int i = 0; i < 10; i++)
        expected[i] = DRAWS * (i < 5 ? 2 * i + 1 : 2 * (9 - i) + 1) / 50.0;
    assert_chi_square(seen, expected, 10);
}
END_TEST

/* Returns how many of DRAWS values on [1, n] are among the central `count` values. */
static uint64_t central_hits(struct rand *r, unsigned n, unsigned count)
{
    uint64_t hits = 0;
    unsigned from = 1 + (n - count) / 2, wrong = 0;

    for (int i = 0; i < DRAWS; i++) {
        double x = rand_special(r, 1, n);
        hits += x >= from && x < from + count;
        wrong += !(x >= 1 && x <= n);
    }
    ck_assert_uint_eq(wrong, 0);
    return hits;
}

START_TEST(special_share_is_exact)
{
    static const struct {
        int pct, res;
        unsigned n, count;
    } row[] = {
        {1, 75, 10000, 100}, {1, 75, 100, 1},  {0, 50, 100, 1},  {20, 10, 1000, 200},
        {99, 75, 100, 99},   {60, 30, 50, 30}, {1, 0, 1000, 10}, {1, 100, 1000, 10},
    };
    for (unsigned t = 0; t < ARRAY_SIZE(row); t++) {
        struct rand_config c = config();
        struct rand r;

        c.spec_pct = row[t].pct;
        c.spec_res = row[t].res;
        rand_init(&r, &c, t);
        assert_share(central_hits(&r, row[t].n, row[t].count), DRAWS, row[t].res / 100.0);
    }
}
END_TEST

START_TEST(special_is_flat_inside_and_a_bell_outside)
{
    struct rand_config c = config();
    struct rand r;
    uint64_t inside[20] = {0}, rest = 0, near = 0;
    double expected[20];

    c.spec_pct = 20;
    rand_init(&r, &c, 0);
    for (int i = 0; i < DRAWS; i++) {
        double x = rand_special(&r, 0, 99);
        if (x >= 40 && x < 60)
            inside[(int)x - 40]++;
        else
            rest++, near += x >= 20 && x < 80;
    }
    for (int i = 0; i < 20; i++)
        expected[i] = (double)(DRAWS - rest) / 20;
    assert_chi_square(inside, expected, 20);
    /*
     * All but 0.02 % of the bell outside ±0.1 is within ±0.3 (σ = 1/12: 3.6 σ of a lighter tail).
     */
    ck_assert_uint_gt(near, rest - rest / 500);
}
END_TEST

START_TEST(special_ends_when_nothing_is_left_outside)
{
    struct rand_config c = config();
    struct rand r;

    c.spec_pct = 100;
    c.spec_res = 0;
    rand_init(&r, &c, 0);
    assert_uniform(&r, 1, 10, 10);
    uint64_t seen[10] = {0};
    double expected[10];
    for (int i = 0; i < DRAWS; i++)
        seen[(int)rand_special(&r, 0, 9)]++;
    for (int i = 0; i < 10; i++)
        expected[i] = DRAWS / 10.0;
    assert_chi_square(seen, expected, 10);
}
END_TEST

START_TEST(pareto_follows_its_distribution)
{
    const double h[] = {0.05, 0.2, 0.5};
    for (unsigned t = 0; t < ARRAY_SIZE(h); t++) {
        struct rand_config c = config();
        struct rand r;
        const double n = 1e6, point[] = {10, 1000, 50000, 200000, 500000, 900000};
        uint64_t hits[ARRAY_SIZE(point)] = {0}, first_share = 0;

        c.pareto_h = h[t];
        rand_init(&r, &c, 0);
        for (int i = 0; i < DRAWS; i++) {
            double x = rand_pareto(&r, 1, n);
            for (unsigned p = 0; p < ARRAY_SIZE(point); p++)
                hits[p] += x <= point[p];
            first_share += x <= h[t] * n;
        }
        /* P(X ≤ x) = P(u^(ln h / ln(1−h)) < x/n) = (x/n)^(ln(1−h) / ln h) */
        for (unsigned p = 0; p < ARRAY_SIZE(point); p++)
            assert_share(hits[p], DRAWS, pow(point[p] / n, log(1 - h[t]) / log(h[t])));
        assert_share(first_share, DRAWS, 1 - h[t]);
    }
}
END_TEST

/* Splits [1, n] into cells that grow by a third, so that enough values are expected in each. */
static unsigned cell_bounds(unsigned n, unsigned *upper, unsigned max)
{
    unsigned cells = 0;
    for (unsigned last = 0; last < n && cells < max; cells++) {
        unsigned next = last < 6 ? last + 1 : last + last / 3;
        last = upper[cells] = next < n ? next : n;
    }
    return cells;
}

/* Merges cells from the right until at least 5 values are expected in each. */
static unsigned merge_rare(uint64_t *seen, double *expected, unsigned cells)
{
    while (cells > 2 && expected[cells - 1] < 5) {
        expected[cells - 2] += expected[cells - 1];
        seen[cells - 2] += seen[cells - 1];
        cells--;
    }
    return cells;
}

static void assert_zipfian(double exponent, unsigned n)
{
    struct rand_config c = config();
    struct rand r;
    unsigned upper[64], cells = cell_bounds(n, upper, ARRAY_SIZE(upper));
    double expected[64] = {0}, total = 0;
    uint64_t seen[64] = {0}, wrong = 0;

    c.zipfian_exp = exponent;
    rand_init(&r, &c, 0);
    for (unsigned k = 1, cell = 0; k <= n; k++) {
        cell += k > upper[cell];
        expected[cell] += pow(k, -exponent);
        total += pow(k, -exponent);
    }
    for (unsigned i = 0; i < cells; i++)
        expected[i] *= DRAWS / total;
    for (int i = 0; i < DRAWS; i++) {
        double k = rand_zipfian(&r, 1, n);
        unsigned cell = 0;
        wrong += !(k >= 1 && k <= n && k == floor(k));
        while (cell < cells - 1 && k > upper[cell])
            cell++;
        seen[cell]++;
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(upper[cells - 1], n);
    cells = merge_rare(seen, expected, cells);
    assert_chi_square(seen, expected, cells);
}

static const struct {
    double exponent;
    unsigned n;
} zipfian_row[] = {
    {0.8, 10},           {0.8, 1000}, {0.8, 1000000}, {1.0, 1000}, {1.0, 1000000}, {1 - 1e-9, 1000},
    {1 + 1e-9, 1000000}, {0.1, 100},  {1.2, 1000000}, {2.5, 1000}, {5, 100},
};

START_TEST(zipfian_fits_chi_square)
{
    assert_zipfian(zipfian_row[_i].exponent, zipfian_row[_i].n);
}
END_TEST

START_TEST(zipfian_with_few_values_and_changing_ranges)
{
    struct rand_config c = config();
    struct rand r;
    uint64_t two = 0, large = 0, wrong = 0;
    double total = 0;

    for (int k = 1; k <= 1000; k++)
        total += 1.0 / k;
    c.zipfian_exp = 1;
    rand_init(&r, &c, 0);
    for (int i = 0; i < DRAWS; i++) {
        wrong += rand_zipfian(&r, 5, 5) != 5;
        two += rand_zipfian(&r, 10, 11) == 10;
        large += rand_zipfian(&r, 1, 1000) == 1;
    }
    ck_assert_uint_eq(wrong, 0);
    assert_share(two, DRAWS, 1 / 1.5);
    assert_share(large, DRAWS, 1 / total);
    c.zipfian_exp = 100; /* the second value is expected once in 2^100 draws */
    rand_init(&r, &c, 0);
    for (int i = 0; i < 1000; i++)
        ck_assert_double_eq(rand_zipfian(&r, 1, 1000000), 1);
}
END_TEST

START_TEST(exponential_passes_kolmogorov_smirnov)
{
    enum { N = 200000 };
    double *x = xcalloc(N, sizeof(*x)), distance = 0;
    struct rand_stream s;
    int wrong = 0;

    rand_stream_init(&s, 7, RAND_ARRIVAL, 0);
    for (int i = 0; i < N; i++) {
        x[i] = rand_stream_exponential(&s);
        wrong += !(x[i] > 0 && isfinite(x[i]));
    }
    ck_assert_int_eq(wrong, 0);
    sort_doubles(x, N);
    for (int i = 0; i < N; i++) {
        double cdf = -expm1(-x[i]);
        distance = fmax(distance, fmax(cdf - (double)i / N, (i + 1.0) / N - cdf));
    }
    /* P(√N·D > t) ≈ 2 exp(−2t²) = 1e-5 for t = 2.47 */
    ck_assert_double_lt(sqrt(N) * distance, 2.47);
    free(x);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rand_shapes");
    TCase *tests = tcase_create("rand_shapes");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, uniform_fits_chi_square);
    tcase_add_test(tests, below_has_no_bias);
    tcase_add_test(tests, bounds_are_whole_and_in_order);
    tcase_add_test(tests, gaussian_has_its_moments);
    tcase_add_test(tests, gaussian_of_two_is_a_triangle);
    tcase_add_test(tests, special_share_is_exact);
    tcase_add_test(tests, special_is_flat_inside_and_a_bell_outside);
    tcase_add_test(tests, special_ends_when_nothing_is_left_outside);
    tcase_add_test(tests, pareto_follows_its_distribution);
    tcase_add_loop_test(tests, zipfian_fits_chi_square, 0, ARRAY_SIZE(zipfian_row));
    tcase_add_test(tests, zipfian_with_few_values_and_changing_ranges);
    tcase_add_test(tests, exponential_passes_kolmogorov_smirnov);
    suite_add_tcase(suite, tests);

    return suite_run(suite);
}
