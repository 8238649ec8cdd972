/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams, unique numbers and strings of rand.h. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "../statistics.h"
#include "../suite.h"
#include "base/rand.h"
#include "base/util.h"

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Draws every `stride`-th number that THREADS threads would draw, and counts numbers that occur
 * twice. */
static uint32_t unique_repeats(uint64_t stride)
{
    enum { THREADS = 3, EACH = 400000 };
    struct rand_config c = config();
    uint32_t *x = xcalloc(THREADS * EACH, sizeof(*x)), repeats = 0;

    c.threads = THREADS;
    for (unsigned t = 0; t < THREADS; t++) {
        struct rand r;
        rand_init(&r, &c, t);
        for (int i = 0; i < EACH; i++) {
            r.unique_drawn = (uint64_t)i * stride;
            x[t * EACH + i] = rand_unique(&r);
        }
    }
    qsort(x, THREADS * EACH, sizeof(*x), compare_u32);
    for (int i = 1; i < THREADS * EACH; i++)
        repeats += x[i] == x[i - 1];
    free(x);
    return repeats;
}

START_TEST(unique_never_repeats)
{
    ck_assert_uint_eq(unique_repeats(1), 0);
    /* 3 · 400 000 · 3571 is just below 2^32, so the samples cover the whole range. */
    ck_assert_uint_eq(unique_repeats(3571), 0);
}
END_TEST

START_TEST(unique_looks_random_and_depends_on_the_seed)
{
    struct rand_config c = config(), other = config();
    struct rand r, s;
    uint64_t seen[256] = {0}, ascending = 0;
    double expected[256];
    uint32_t last = 0;

    other.seed++;
    rand_init(&r, &c, 0);
    rand_init(&s, &other, 0);
    int equal = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint32_t x = rand_unique(&r);
        equal += x == rand_unique(&s);
        seen[x >> 24]++;
        ascending += x > last;
        last = x;
    }
    /* Two random permutations agree in 2^-32 of their positions. */
    ck_assert_int_le(equal, 2);
    for (int i = 0; i < 256; i++)
        expected[i] = DRAWS / 256.0;
    double sum = 0;
    for (int i = 0; i < 256; i++)
        sum += ((double)seen[i] - expected[i]) * ((double)seen[i] - expected[i]) / expected[i];
    ck_assert_double_lt(sum, chi_square_quantile(255, CHI_SIGMAS));
    /* Neighbouring values: the number of ascents has the variance (n + 1)/12. */
    ck_assert_double_eq_tol((double)ascending, DRAWS / 2.0, SIGMAS * sqrt(DRAWS / 12.0));
}
END_TEST

static void assert_streams(uint64_t seed, enum rand_purpose purpose, unsigned index, bool same)
{
    struct rand_stream a, b;
    int equal = 0;

    rand_stream_init(&a, 42, RAND_WORKLOAD, 3);
    rand_stream_init(&b, seed, purpose, index);
    for (int i = 0; i < 1000; i++)
        equal += rand_stream_u64(&a) == rand_stream_u64(&b);
    ck_assert_int_eq(equal, same ? 1000 : 0);
}

START_TEST(streams_depend_on_seed_purpose_and_index)
{
    assert_streams(42, RAND_WORKLOAD, 3, true);
    assert_streams(43, RAND_WORKLOAD, 3, false);
    assert_streams(42, RAND_ARRIVAL, 3, false);
    assert_streams(42, RAND_SERVICE, 3, false);
    assert_streams(42, RAND_WORKLOAD, 4, false);
    /* Swapping the purpose and the index results in a different stream. */
    assert_streams(3, RAND_WORKLOAD, 42, false);
}
END_TEST

START_TEST(same_seed_same_numbers)
{
    struct rand_config c = config();
    struct rand a, b;
    char text_a[64], text_b[64];

    rand_init(&a, &c, 2);
    rand_init(&b, &c, 2);
    for (int i = 0; i < 1000; i++) {
        c.type = (enum rand_type)(i % 5);
        ck_assert_double_eq(rand_default(&a, 1, 1e6), rand_default(&b, 1, 1e6));
        ck_assert_uint_eq(rand_unique(&a), rand_unique(&b));
        rand_string(&a, "###-@@@", text_a);
        rand_string(&b, "###-@@@", text_b);
        ck_assert_str_eq(text_a, text_b);
    }
}
END_TEST

START_TEST(default_draws_from_the_type)
{
    double (*const draw[])(struct rand *, double, double) = {
        [RAND_UNIFORM] = rand_uniform, [RAND_GAUSSIAN] = rand_gaussian,
        [RAND_SPECIAL] = rand_special, [RAND_PARETO] = rand_pareto,
        [RAND_ZIPFIAN] = rand_zipfian,
    };
    struct rand_config c = config();
    for (unsigned t = 0; t < ARRAY_SIZE(draw); t++) {
        struct rand a, b;
        c.type = (enum rand_type)t;
        rand_init(&a, &c, 0);
        rand_init(&b, &c, 0);
        for (int i = 0; i < 1000; i++)
            ck_assert_double_eq(rand_default(&a, 1, 1e9), draw[t](&b, 1, 1e9));
    }
}
END_TEST

START_TEST(streams_are_not_correlated)
{
    /* The mean of the product of independent uniform numbers on ±1 is 0, with a standard error
     * of 1/(3√n). */
    struct rand_stream a, b;
    double sum = 0;

    rand_stream_init(&a, 1, RAND_WORKLOAD, 0);
    rand_stream_init(&b, 1, RAND_WORKLOAD, 1);
    for (int i = 0; i < DRAWS; i++)
        sum += (2 * rand_stream_double(&a) - 1) * (2 * rand_stream_double(&b) - 1);
    ck_assert_double_eq_tol(sum / DRAWS, 0, SIGMAS / (3 * sqrt(DRAWS)));
}
END_TEST

START_TEST(string_follows_its_format)
{
    struct rand_config c = config();
    struct rand r;
    char buf[32];

    rand_init(&r, &c, 0);
    for (int i = 0; i < 1000; i++) {
        ck_assert_uint_eq(rand_string(&r, "a#b@-##@@%", buf), 10);
        ck_assert_uint_eq(strlen(buf), 10);
        ck_assert(buf[0] == 'a' && buf[2] == 'b' && buf[4] == '-' && buf[9] == '%');
        ck_assert(isdigit(buf[1]) && isdigit(buf[5]) && isdigit(buf[6]));
        ck_assert(islower(buf[3]) && islower(buf[7]) && islower(buf[8]));
    }
    ck_assert_uint_eq(rand_string(&r, "", buf), 0);
    ck_assert_str_eq(buf, "");
}
END_TEST

START_TEST(string_symbols_are_uniform)
{
    struct rand_config c = config();
    struct rand r;
    char fmt[41], buf[41];
    uint64_t digits[10] = {0}, letters[26] = {0}, pairs[100] = {0};
    double expected[100];

    memset(fmt, '#', 20);
    memset(fmt + 20, '@', 20);
    fmt[40] = '\0';
    rand_init(&r, &c, 0);
    for (int i = 0; i < 50000; i++) {
        rand_string(&r, fmt, buf);
        for (int k = 0; k < 20; k++)
            digits[buf[k] - '0']++, letters[buf[20 + k] - 'a']++;
        for (int k = 0; k < 20; k += 2)
            pairs[(buf[k] - '0') * 10 + buf[k + 1] - '0']++;
    }
    for (int i = 0; i < 100; i++)
        expected[i] = 500000 / 100.0;
    assert_chi_square(pairs, expected, 100);
    for (int i = 0; i < 26; i++)
        expected[i] = 1000000 / 26.0;
    assert_chi_square(letters, expected, 26);
    for (int i = 0; i < 10; i++)
        expected[i] = 1000000 / 10.0;
    assert_chi_square(digits, expected, 10);
}
END_TEST

START_TEST(varstring_length_and_alphabet)
{
    struct rand_config c = config();
    struct rand r;
    char buf[16];
    uint64_t lengths[11] = {0}, wrong = 0;
    double expected[11];

    rand_init(&r, &c, 0);
    for (int i = 0; i < DRAWS; i++) {
        size_t length = rand_varstring(&r, buf, 5, 15);
        wrong += strlen(buf) != length;
        wrong += strspn(buf, "abcdefghijklmnopqrstuvwxyz0123456789") != length;
        lengths[length - 5]++;
    }
    ck_assert_uint_eq(wrong, 0);
    for (int i = 0; i < 11; i++)
        expected[i] = DRAWS / 11.0;
    assert_chi_square(lengths, expected, 11);
    ck_assert_uint_eq(rand_varstring(&r, buf, 4, 4), 4);
    ck_assert_uint_eq(rand_varstring(&r, buf, 0, 0), 0);
}
END_TEST

START_TEST(alnum_uses_all_letters_alike)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    struct rand_config c = config();
    struct rand r;
    char buf[51];
    uint64_t letters[62] = {0};
    double expected[62];

    rand_init(&r, &c, 0);
    for (int i = 0; i < 20000; i++) {
        ck_assert_uint_eq(rand_alnum(&r, buf, 50, 50), 50);
        ck_assert_uint_eq(strlen(buf), 50);
        for (int k = 0; k < 50; k++)
            letters[strchr(alphabet, buf[k]) - alphabet]++;
    }
    for (int i = 0; i < 62; i++)
        expected[i] = 1000000 / 62.0;
    assert_chi_square(letters, expected, 62);
}
END_TEST

RUN_SUITE("rand", 120, unique_never_repeats, unique_looks_random_and_depends_on_the_seed,
          streams_depend_on_seed_purpose_and_index, same_seed_same_numbers,
          default_draws_from_the_type, streams_are_not_correlated, string_follows_its_format,
          string_symbols_are_uniform, varstring_length_and_alphabet, alnum_uses_all_letters_alike)
