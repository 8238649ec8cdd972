/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "../capture.h"
#include "../suite.h"
#include "base/log.h"
#include "options/settings_load.h"
#include "options/settings_rows.h"

static struct options *set;
static struct settings settings;

static void setup(void)
{
    set = options_create();
    ck_assert_int_eq(settings_add_options(set), 0);
    log_set_verbosity(LOG_NOTICE);
}

static bool loaded;

static void unload(void)
{
    if (loaded)
        settings_fini(&settings);
    loaded = false;
}

static void teardown(void)
{
    unload();
    log_flush();
    options_destroy(set);
}

/* Sets options from name and value pairs up to NULL and loads the settings. The messages must be
 * as expected. */
static int load(const char *expected, const char *const *pairs)
{
    struct capture captured;
    capture_start(&captured, 0);
    int result = 0;
    for (; *pairs != NULL && result == 0; pairs += 2)
        result = options_set(set, pairs[0], pairs[1]);
    if (result == 0) {
        unload();
        result = settings_load(&settings, set);
        loaded = true;
    }
    char *text = capture_end(&captured);
    ck_assert_str_eq(text, expected);
    free(text);
    return result;
}

#define LOAD(expected, ...) load(expected, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(defaults)
{
    memset(&settings, 0xa5, sizeof(settings));
    ck_assert_int_eq(LOAD("", NULL), 0);
    ck_assert_int_eq(settings.threads, 1);
    ck_assert_int_eq(settings.events, 0);
    ck_assert_int_eq(settings.time_ns, 10 * NS_PER_SEC);
    ck_assert_int_eq(settings.warmup_ns, 0);
    ck_assert(settings.rate == 0);
    ck_assert_int_eq(settings.forced_shutdown_ns, -1);
    ck_assert_int_eq(settings.thread_stack_bytes, 65536);
    ck_assert_int_eq(settings.thread_init_timeout_ns, 30 * NS_PER_SEC);
    ck_assert_int_eq(settings.report_interval_ns, 0);
    ck_assert_uint_eq(settings.checkpoints, 0);
    ck_assert_uint_eq(settings.percentiles, 1);
    ck_assert_int_eq(settings.percentile[0], 95 * PERCENT);
    ck_assert(!settings.histogram && !settings.debug && !settings.validate);
    ck_assert_int_eq(settings.verbosity, 3);
    ck_assert_int_eq(settings.queue_size, 131072);
    ck_assert_int_eq(settings.queue_full, QUEUE_FULL_STOP);
    ck_assert_int_eq(settings.drain_ns, 0);
    ck_assert_ptr_null(settings.json_path);
    ck_assert_ptr_null(settings.luajit_cmd);
    ck_assert(!options_bool(set, "help") && !options_bool(set, "version"));
}
END_TEST

START_TEST(defaults_of_random_numbers)
{
    ck_assert_int_eq(LOAD("", NULL), 0);
    ck_assert_int_eq(settings.rand.type, RAND_UNIFORM);
    ck_assert_int_eq(settings.rand.spec_iter, 12);
    ck_assert_int_eq(settings.rand.spec_pct, 1);
    ck_assert_int_eq(settings.rand.spec_res, 75);
    ck_assert(settings.rand.pareto_h == 0.2);
    ck_assert(settings.rand.zipfian_exp == 0.8);
    ck_assert_uint_eq(settings.rand.threads, 1);
}
END_TEST

START_TEST(values_reach_their_fields)
{
    ck_assert_int_eq(LOAD("", "threads", "1000000", "events", "10000000000", "time", "2.5",
                          "warmup-time", "0.5", "forced-shutdown", "3", "thread-stack-size", "1M",
                          "thread-init-timeout", "1", "report-interval", "0.001"),
                     0);
    ck_assert_int_eq(settings.threads, 1000000);
    ck_assert_int_eq(settings.events, INT64_C(10000000000));
    ck_assert_int_eq(settings.time_ns, 2500 * NS_PER_MS);
    ck_assert_int_eq(settings.warmup_ns, 500 * NS_PER_MS);
    ck_assert_int_eq(settings.forced_shutdown_ns, 3 * NS_PER_SEC);
    ck_assert_int_eq(settings.thread_stack_bytes, 1 << 20);
    ck_assert_int_eq(settings.thread_init_timeout_ns, NS_PER_SEC);
    ck_assert_int_eq(settings.report_interval_ns, NS_PER_MS);
}
END_TEST

START_TEST(flags_and_texts_reach_their_fields)
{
    ck_assert_int_eq(
        LOAD("", "histogram", NULL, "validate", "on", "json", "a.json", "luajit-cmd", "off"), 0);
    ck_assert(settings.histogram && settings.validate && !settings.debug);
    ck_assert_str_eq(settings.json_path, "a.json");
    ck_assert_str_eq(settings.luajit_cmd, "off");
}
END_TEST

START_TEST(values_of_random_numbers)
{
    ck_assert_int_eq(LOAD("", "threads", "5", "rand-spec-iter", "3", "rand-spec-pct", "20",
                          "rand-spec-res", "0", "rand-pareto-h", "0.5", "rand-zipfian-exp", "1"),
                     0);
    ck_assert_int_eq(settings.rand.spec_iter, 3);
    ck_assert_int_eq(settings.rand.spec_pct, 20);
    ck_assert_int_eq(settings.rand.spec_res, 0);
    ck_assert(settings.rand.pareto_h == 0.5);
    ck_assert(settings.rand.zipfian_exp == 1);
    ck_assert_uint_eq(settings.rand.threads, 5);
}
END_TEST

START_TEST(random_types)
{
    static const struct {
        const char *name;
        enum rand_type type;
    } types[] = {{"uniform", RAND_UNIFORM},
                 {"gaussian", RAND_GAUSSIAN},
                 {"special", RAND_SPECIAL},
                 {"pareto", RAND_PARETO},
                 {"zipfian", RAND_ZIPFIAN}};
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        ck_assert_int_eq(LOAD("", "rand-type", types[i].name), 0);
        ck_assert_int_eq(settings.rand.type, types[i].type);
    }
}
END_TEST

START_TEST(seeds)
{
    ck_assert_int_eq(LOAD("", "rand-seed", "9223372036854775807"), 0);
    ck_assert(settings.seed_given);
    ck_assert_uint_eq(settings.rand.seed, INT64_MAX);
    ck_assert_int_eq(LOAD("", "rand-seed", "-1"), 0);
    ck_assert(settings.seed_given);
    ck_assert_uint_eq(settings.rand.seed, UINT64_MAX);
    ck_assert_int_eq(LOAD("", "rand-seed", "0"), 0);
    ck_assert(!settings.seed_given);
    ck_assert_uint_ne(settings.rand.seed, 0);
    ck_assert_uint_le(settings.rand.seed, INT64_MAX); /* --rand-seed accepts this */
}
END_TEST

START_TEST(arrival_rate)
{
    ck_assert_int_eq(
        LOAD("", "tx-rate", "0.5", "queue-size", "1", "queue-full", "drop", "drain", "1.5"), 0);
    ck_assert(settings.rate == 0.5);
    ck_assert_int_eq(settings.queue_size, 1);
    ck_assert_int_eq(settings.queue_full, QUEUE_FULL_DROP);
    ck_assert_int_eq(settings.drain_ns, 1500 * NS_PER_MS);
    ck_assert_int_eq(LOAD("", "rate", "2000000000"), 0);
    ck_assert(settings.rate == 2e9);
}
END_TEST

START_TEST(a_trace_excludes_a_rate)
{
    ck_assert_int_eq(LOAD("FATAL: --arrival-trace and --rate exclude each other\n", "arrival-trace",
                          "t", "rate", "5"),
                     -1);
}
END_TEST

START_TEST(a_trace_excludes_arrival)
{
    ck_assert_int_eq(LOAD("FATAL: --arrival-trace and --arrival exclude each other\n",
                          "arrival-trace", "t", "arrival", "constant"),
                     -1);
}
END_TEST

START_TEST(a_run_without_limits_is_allowed)
{
    ck_assert_int_eq(LOAD("", "time", "0", "events", "0"), 0);
    ck_assert_int_eq(settings.time_ns, 0);
}
END_TEST

START_TEST(verbosity_mutes_warnings_of_loading)
{
    ck_assert_int_eq(LOAD("", "csv", "a.csv", "verbosity", "1"), 0);
    ck_assert(log_enabled(LOG_ALERT));
    ck_assert(!log_enabled(LOG_WARNING));
}
END_TEST

START_TEST(debug_raises_the_verbosity)
{
    ck_assert_int_eq(LOAD("", "debug", NULL), 0);
    ck_assert_int_eq(settings.verbosity, LOG_DEBUG);
    ck_assert(log_enabled(LOG_DEBUG));
}
END_TEST

START_TEST(a_histogram_needs_percentiles)
{
    ck_assert_int_eq(LOAD("FATAL: --histogram cannot be used with --percentile=0\n", "histogram",
                          NULL, "percentile", "0"),
                     -1);
}
END_TEST

START_TEST(old_names)
{
    ck_assert_int_eq(LOAD("WARNING: --num-threads is deprecated, use --threads instead\n"
                          "WARNING: --max-requests is deprecated, use --events instead\n"
                          "WARNING: --max-time is deprecated, use --time instead\n",
                          "num-threads", "3", "max_requests", "10000000000", "max-time", "0"),
                     0);
    ck_assert_int_eq(settings.threads, 3);
    ck_assert_int_eq(settings.events, INT64_C(10000000000));
    ck_assert_int_eq(settings.time_ns, 0);
}
END_TEST

START_TEST(ignored_names)
{
    ck_assert_int_eq(LOAD("WARNING: --init-rng is deprecated and ignored: the generator is always "
                          "initialized, use --rand-seed to choose the seed\n"
                          "WARNING: --rand-init is deprecated and ignored: the generator is always "
                          "initialized, use --rand-seed to choose the seed\n",
                          "init-rng", NULL, "rand-init", "on"),
                     0);
}
END_TEST

START_TEST(checkpoints_are_sorted)
{
    ck_assert_int_eq(LOAD("", "report-checkpoints", "30,0.5,10"), 0);
    ck_assert_uint_eq(settings.checkpoints, 3);
    ck_assert_int_eq(settings.checkpoint_ns[0], NS_PER_SEC / 2);
    ck_assert_int_eq(settings.checkpoint_ns[1], 10 * NS_PER_SEC);
    ck_assert_int_eq(settings.checkpoint_ns[2], 30 * NS_PER_SEC);
}
END_TEST

/* "1,2,…,count" */
static void set_checkpoints(int count, int result)
{
    char text[8192];
    int used = 0;
    for (int i = 1; i <= count; i++)
        used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%d", i > 1 ? "," : "", i);
    ck_assert_int_eq(options_set(set, "report-checkpoints", text), result);
}

START_TEST(checkpoints_have_a_limit)
{
    struct capture captured;
    set_checkpoints(MAX_CHECKPOINTS, 0);
    ck_assert_int_eq(LOAD("", NULL), 0);
    ck_assert_uint_eq(settings.checkpoints, MAX_CHECKPOINTS);
    ck_assert_int_eq(settings.checkpoint_ns[MAX_CHECKPOINTS - 1], MAX_CHECKPOINTS * NS_PER_SEC);
    capture_start(&captured, 0);
    set_checkpoints(MAX_CHECKPOINTS + 1, -1);
    free(capture_end(&captured));
}
END_TEST

START_TEST(percentiles_reach_the_settings)
{
    ck_assert_int_eq(LOAD("", "percentile", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,99.9"), 0);
    ck_assert_uint_eq(settings.percentiles, MAX_PERCENTILES);
    ck_assert_int_eq(settings.percentile[15], 99900000);
    ck_assert_int_eq(LOAD("", "percentile", "0"), 0);
    ck_assert_uint_eq(settings.percentiles, 0);
}
END_TEST

static void assert_help_has(const char *group, const char *line)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    options_help(set, group, false, out);
    fclose(out);
    ck_assert_msg(strstr(text, line) != NULL, "'%s' is not in the help:\n%s", line, text);
    free(text);
}

START_TEST(help_lists_the_groups)
{
    assert_help_has("General options", "  --threads=N                     number of");
    assert_help_has("General options", "  --report-checkpoints=[LIST,...] ");
    assert_help_has("General options", "  --forced-shutdown=STRING        ");
    assert_help_has("General options", "  --thread-stack-size=SIZE        ");
    assert_help_has("General options", "  --config-file=FILENAME          ");
    assert_help_has("Pseudo-Random Numbers Generator options", "  --rand-pareto-h=N    ");
    assert_help_has("Log options", "  --histogram[=on|off] ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("settings");
    TCase *tcase = tcase_create("settings");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, defaults);
    tcase_add_test(tcase, defaults_of_random_numbers);
    tcase_add_test(tcase, values_reach_their_fields);
    tcase_add_test(tcase, flags_and_texts_reach_their_fields);
    tcase_add_test(tcase, values_of_random_numbers);
    tcase_add_test(tcase, random_types);
    tcase_add_test(tcase, seeds);
    tcase_add_test(tcase, arrival_rate);
    tcase_add_test(tcase, a_trace_excludes_a_rate);
    tcase_add_test(tcase, a_trace_excludes_arrival);
    tcase_add_test(tcase, a_run_without_limits_is_allowed);
    tcase_add_test(tcase, verbosity_mutes_warnings_of_loading);
    tcase_add_test(tcase, debug_raises_the_verbosity);
    tcase_add_test(tcase, a_histogram_needs_percentiles);
    tcase_add_test(tcase, old_names);
    tcase_add_test(tcase, ignored_names);
    tcase_add_test(tcase, checkpoints_are_sorted);
    tcase_add_test(tcase, checkpoints_have_a_limit);
    tcase_add_test(tcase, percentiles_reach_the_settings);
    tcase_add_test(tcase, help_lists_the_groups);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
