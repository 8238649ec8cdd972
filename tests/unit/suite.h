/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main() of a unit test: one suite with the tests given to RUN_SUITE(). */
#ifndef TEST_SUITE_H
#define TEST_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Returns the seed of a simulation: `usual`, or SYSRATE_TEST_SEED if it is set, which shows how
 * much a published figure depends on the seed. */
static inline unsigned long suite_seed(unsigned long usual)
{
    const char *seed = getenv("SYSRATE_TEST_SEED");
    return seed != NULL ? strtoul(seed, NULL, 10) : usual;
}

/* Runs and frees the suite; what main() returns. */
static inline int suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* One test case with all tests; what runs before and after each test may be NULL. */
static inline int suite_run_tests(const char *name, double timeout_s, SFun before, SFun after,
                                  const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, timeout_s);
    tcase_add_checked_fixture(tcase, before, after);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}

#define RUN_SUITE_WITH(name, timeout_s, before, after, ...)                                        \
    int main(void)                                                                                 \
    {                                                                                              \
        const TTest *const tests[] = {__VA_ARGS__};                                                \
        return suite_run_tests(name, timeout_s, before, after, tests,                              \
                               sizeof(tests) / sizeof(tests[0]));                                  \
    }

#define RUN_SUITE(name, timeout_s, ...) RUN_SUITE_WITH(name, timeout_s, NULL, NULL, __VA_ARGS__)

#endif
