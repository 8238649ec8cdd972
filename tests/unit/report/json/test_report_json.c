/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON report is parsed with jansson and compared with its input. */
#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../../suite.h"
#include "report/json/report_json.h"

static struct settings settings;
static struct summary summary;
static struct interval interval;
static struct report_json *json;
static char folder[64], path[128];

static void setup(void)
{
    static const struct report_json_run run = {"1.2.3", "e.lua", "run", "2026-01-31T23:59:59.123Z"};

    settings = (struct settings){.threads = 2, .rate = 100, .percentiles = 2};
    settings.percentile[0] = 50 * PERCENT;
    settings.percentile[1] = 99900000;
    summary = (struct summary){0};
    interval = (struct interval){0};
    snapshot_init(&summary.snapshot);
    snapshot_init(&interval.snapshot);
    json = report_json_create(&run, &settings);
    strcpy(folder, "test_report_json.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.json", folder);
}

static void add_interval(void)
{
    report_json_add_interval(json, report_json_interval_value(&settings, &interval));
}

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
}

static void teardown(void)
{
    report_json_destroy(json);
    snapshot_fini(&summary.snapshot);
    snapshot_fini(&interval.snapshot);
    empty_folder();
    rmdir(folder);
}

/* Returns the number of files in the folder. */
static int files_in_folder(void)
{
    int n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

static json_t *load(void)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(document != NULL, "line %d: %s", error.line, error.text);
    return document;
}

static json_t *write_and_load(void)
{
    ck_assert_int_eq(report_json_write(json, path), 0);
    ck_assert_int_eq(files_in_folder(), 1);
    return load();
}

/* Returns the value at a path such as "a.b.2.c"; steps are keys of objects or indexes of arrays. */
static json_t *at(json_t *value, const char *where)
{
    char *copy = xstrdup(where), *rest = copy;
    for (char *step = strsep(&rest, "."); step != NULL; step = strsep(&rest, "."))
        value = json_is_array(value) ? json_array_get(value, strtoul(step, NULL, 10))
                                     : json_object_get(value, step);
    ck_assert_msg(value != NULL, "%s is missing", where);
    free(copy);
    return value;
}

static void assert_value(json_t *document, const char *where, const char *expected)
{
    char *found =
        json_dumps(at(document, where), JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    ck_assert_msg(strcmp(found, expected) == 0, "%s: %s instead of %s", where, found, expected);
    free(found);
}

START_TEST(empty_report_has_every_part)
{
    json_t *document = write_and_load();
    struct utsname names;
    ck_assert_int_eq(uname(&names), 0);
    ck_assert_str_eq(json_string_value(at(document, "client.host")), names.nodename);
    ck_assert_int_ge(json_integer_value(at(document, "client.processors")), 1);
    /* The client differs on each machine. */
    json_object_set_new(document, "client", json_null());
    char *found = json_dumps(document, JSON_COMPACT);
    ck_assert_str_eq(found,
                     "{\"schema\":2,\"tool\":{\"name\":\"sysrate\",\"version\":\"1.2.3\"},"
                     "\"test\":\"e.lua\",\"command\":\"run\","
                     "\"started\":\"2026-01-31T23:59:59.123Z\",\"client\":null,\"config\":{},"
                     "\"intervals\":[],\"checkpoints\":[],\"summary\":{},\"warnings\":[]}");
    free(found);
    json_decref(document);
}
END_TEST

static void add_config(enum option_type type, const char *name, struct option_value value)
{
    struct option_spec row = {.name = name, .type = type};
    report_json_config(json, name, &row, &value);
}

START_TEST(config_is_typed)
{
    char *hosts[] = {"a", "b", NULL};
    add_config(OPTION_BOOL, "histogram", (struct option_value){.integer = 1, .text = "on"});
    add_config(OPTION_BOOL, "debug", (struct option_value){.integer = 0});
    add_config(OPTION_INT, "table_size",
               (struct option_value){.integer = INT64_C(9007199254740993), .text = "…"});
    add_config(OPTION_SIZE, "block-size", (struct option_value){.integer = 65536, .text = "64K"});
    add_config(OPTION_DOUBLE, "rate", (struct option_value){.number = 0.1, .text = "0.1"});
    add_config(OPTION_SECONDS, "time",
               (struct option_value){.integer = 1500000000, .number = 1.5, .text = "1.5"});
    add_config(OPTION_SECONDS, "forced-shutdown",
               (struct option_value){.integer = -1, .off = true, .text = "off"});
    add_config(OPTION_STRING, "name", (struct option_value){.text = "a\"b\nc"});
    add_config(OPTION_STRING, "bytes", (struct option_value){.text = "M\xfcller"});
    add_config(OPTION_STRING, "none", (struct option_value){0});
    add_config(OPTION_LIST, "mysql-host", (struct option_value){.list = hosts, .text = "a,b"});
    add_config(OPTION_LIST, "empty", (struct option_value){0});
    json_t *document = write_and_load();
    assert_value(document, "config",
                 "{\"histogram\":true,\"debug\":false,\"table_size\":9007199254740993,"
                 "\"block_size\":65536,\"rate\":0.1,\"time\":1.5,\"forced_shutdown\":null,"
                 "\"name\":\"a\\\"b\\nc\",\"bytes\":\"M\xc3\xbcller\",\"none\":null,"
                 "\"mysql_host\":[\"a\",\"b\"],\"empty\":[]}");
    json_decref(document);
}
END_TEST

START_TEST(config_holds_no_secret)
{
    add_config(OPTION_STRING, "mysql-password", (struct option_value){.text = "secret"});
    add_config(OPTION_STRING, "My_PassWord_File", (struct option_value){.text = "secret"});
    json_t *document = write_and_load();
    assert_value(document, "config", "{}");
    json_decref(document);
}
END_TEST

static void fill_snapshot(struct snapshot *s)
{
    s->from_ns = NS_PER_SEC;
    s->to_ns = 3 * NS_PER_SEC;
    for (unsigned c = 0; c < COUNTER_TYPES; c++)
        s->counter[c] = c + 1;
    s->counter[COUNTER_EVENT] = 101;
    for (int i = 0; i < 100; i++) {
        distribution_record(&s->metric[METRIC_WAIT], 300);
        distribution_record(&s->metric[METRIC_SERVICE], 700);
        distribution_record(&s->metric[METRIC_RESPONSE], 1000);
        distribution_record(&s->lag, 250);
    }
    distribution_record(&s->metric[METRIC_RESPONSE], 1234567);
    s->offered = 110;
    s->dropped = 2;
}

START_TEST(interval_fields)
{
    fill_snapshot(&interval.snapshot);
    interval.warmup = true;
    interval.threads_running = 2;
    interval.queue_length = 7;
    interval.concurrency = 1;
    interval.queue = 3.5;
    interval.busy = 1.75;
    interval.asked_per_s = 60.5;
    interval.in_system = 1.5;
    interval.in_system_by_law = 1.25;
    interval.in_system_error = 0.5;
    add_interval();
    interval.warmup = false;
    add_interval();
    json_t *document = write_and_load();
    ck_assert_uint_eq(json_array_size(at(document, "intervals")), 2);
    assert_value(document, "intervals.0.from_s", "1.0");
    assert_value(document, "intervals.0.to_s", "3.0");
    assert_value(document, "intervals.0.seconds", "2.0");
    assert_value(document, "intervals.0.warmup", "true");
    assert_value(document, "intervals.1.warmup", "false");
    assert_value(document, "intervals.0.workers", "2");
    assert_value(document, "intervals.0.queue", "7");
    assert_value(document, "intervals.0.busy", "1");
    assert_value(document, "intervals.0.queue_mean", "3.5");
    assert_value(document, "intervals.0.busy_mean", "1.75");
    assert_value(document, "intervals.0.offered", "110");
    assert_value(document, "intervals.0.offered_per_s", "55.0");
    assert_value(document, "intervals.0.asked_per_s", "60.5");
    assert_value(document, "intervals.0.in_system",
                 "{\"mean\":1.5,\"by_littles_law\":1.25,\"tolerance\":0.5}");
    assert_value(document, "intervals.0.completed", "101");
    assert_value(document, "intervals.0.completed_per_s", "50.5");
    assert_value(document, "intervals.0.dropped", "2");
    assert_value(document, "intervals.0.failed", "9");
    assert_value(
        document, "intervals.0.counters",
        "{\"other\":1,\"reads\":2,\"writes\":3,\"events\":101,\"errors\":5,"
        "\"reconnects\":6,\"bytes_read\":7,\"bytes_written\":8,\"failed\":9,\"down_ns\":10,"
        "\"timeouts\":13,\"unsent\":14,\"retries\":15,\"refused_retries\":16,\"late\":17,"
        "\"pool_timeouts\":18,\"lost_ns\":19}");
    assert_value(document, "intervals.0.response_ms",
                 "{\"count\":101,\"censored\":0,\"min\":0.001,\"mean\":0.0132135346534653,"
                 "\"max\":1.234567,\"mean_censored\":false,\"max_censored\":false,"
                 "\"percentiles\":{\"p50\":{\"value\":0.001,\"censored\":false},"
                 "\"p99.9\":{\"value\":1.23392,\"censored\":false}}}"); /* middle of its bucket */
    assert_value(document, "intervals.0.response_histogram", "[[896,100],[1048576,1]]");
    assert_value(document, "intervals.0.wait_ms.max", "0.0003");
    assert_value(document, "intervals.0.service_ms.mean", "0.0007");
    assert_value(document, "intervals.0.generator_lag_us.percentiles",
                 "{\"p50\":{\"value\":0.25,\"censored\":false},"
                 "\"p99\":{\"value\":0.25,\"censored\":false}}");
    json_decref(document);
}
END_TEST

START_TEST(interval_of_a_closed_loop)
{
    settings.rate = 0;
    add_interval();
    json_t *document = write_and_load();
    static const char *const absent[] = {"wait_ms", "service_ms", "generator_lag_us",
                                         "offered", "dropped",    "queue"};
    for (unsigned i = 0; i < ARRAY_SIZE(absent); i++)
        ck_assert_ptr_null(json_object_get(at(document, "intervals.0"), absent[i]));
    assert_value(document, "intervals.0.completed_per_s", "0.0");
    /* Nothing was measured, so figures are null. */
    assert_value(document, "intervals.0.response_ms",
                 "{\"count\":0,\"censored\":0,\"min\":null,\"mean\":null,\"max\":null,"
                 "\"mean_censored\":false,\"max_censored\":false,"
                 "\"percentiles\":{\"p50\":{\"value\":null,\"censored\":false},"
                 "\"p99.9\":{\"value\":null,\"censored\":false}}}");
    json_decref(document);
}
END_TEST

START_TEST(summary_fields)
{
    fill_snapshot(&summary.snapshot);
    for (int i = 0; i < 3; i++)
        distribution_censor(&summary.snapshot.metric[METRIC_RESPONSE], 5 * NS_PER_MS);
    summary.elapsed_ns = 2 * NS_PER_SEC;
    summary.requests = (struct requests){.offered = 110,
                                         .completed = 101,
                                         .failed = 1,
                                         .dropped = 2,
                                         .queued = 4,
                                         .in_service = 2,
                                         .oldest_ns = 2035100000};
    summary.fairness = (struct fairness){50.5, 0.5, 1.25, 0.125};
    report_json_summary(json, &summary, "queue_full", 1);
    json_t *document = write_and_load();
    assert_value(document, "summary.end", "\"queue_full\"");
    assert_value(document, "summary.exit_code", "1");
    assert_value(document, "summary.elapsed_s", "2.0");
    assert_value(document, "summary.requests",
                 "{\"offered\":110,\"completed\":101,\"failed\":1,\"dropped\":2,\"unfinished\":6,"
                 "\"queued\":4,\"in_service\":2,\"oldest_ms\":2035.1}");
    assert_value(document, "summary.completed_per_s", "50.5");
    assert_value(document, "summary.response_ms.censored", "3");
    assert_value(document, "summary.response_ms.max", "5.0");
    assert_value(document, "summary.response_ms.max_censored", "true");
    assert_value(document, "summary.response_ms.mean_censored", "false");
    assert_value(document, "summary.response_ms.percentiles.p50.censored", "false");
    json_decref(document);
}
END_TEST

START_TEST(summary_percentile_is_flagged)
{
    fill_snapshot(&summary.snapshot);
    for (int i = 0; i < 3; i++)
        distribution_censor(&summary.snapshot.metric[METRIC_RESPONSE], 5 * NS_PER_MS);
    settings.percentiles = 1;
    settings.percentile[0] = 99 * PERCENT;
    summary.fairness = (struct fairness){50.5, 0.5, 1.25, 0.125};
    report_json_summary(json, &summary, "time", 0);
    json_t *document = write_and_load();
    /* The middle of the bucket of 5 ms; 100 of 104 values are smaller. */
    double value = json_real_value(at(document, "summary.response_ms.percentiles.p99.value"));
    ck_assert_double_eq_tol(value, 5, 0.005);
    assert_value(document, "summary.response_ms.percentiles.p99.censored", "true");
    assert_value(document, "summary.fairness",
                 "{\"events\":{\"mean\":50.5,\"stddev\":0.5},"
                 "\"seconds\":{\"mean\":1.25,\"stddev\":0.125}}");
    json_decref(document);
}
END_TEST

/* Fills a distribution from [[lower, count], …] and compares its buckets. */
static void assert_buckets(json_t *pairs, const uint64_t *buckets)
{
    size_t i;
    json_t *pair;
    uint64_t *read = xcalloc(HISTOGRAM_BUCKETS, sizeof(*read));
    json_array_foreach(pairs, i, pair)
    {
        int64_t lower_ns = json_integer_value(json_array_get(pair, 0));
        unsigned index = histogram_index(lower_ns);
        ck_assert_int_eq(histogram_lower_ns(index), lower_ns);
        read[index] += (uint64_t)json_integer_value(json_array_get(pair, 1));
    }
    ck_assert_mem_eq(read, buckets, HISTOGRAM_BUCKETS * sizeof(*read));
    free(read);
}

START_TEST(histograms_are_lossless)
{
    struct snapshot *s = &summary.snapshot;
    struct distribution *response = &s->metric[METRIC_RESPONSE];
    for (int i = 0; i < 3000; i++) {
        distribution_record(response, (int64_t)i * i * i * 7);
        distribution_censor(response, 12345678 + i * 100000);
        distribution_record(&s->metric[METRIC_WAIT], i);
        distribution_record(&s->lag, i * 10);
    }
    distribution_record(response, INT64_C(3600000000001)); /* an hour and a nanosecond */
    report_json_summary(json, &summary, "time", 0);
    json_t *document = write_and_load();
    json_t *histogram = at(document, "summary.histogram");
    assert_buckets(at(histogram, "response"), response->buckets);
    assert_buckets(at(histogram, "wait"), s->metric[METRIC_WAIT].buckets);
    assert_buckets(at(histogram, "service"), s->metric[METRIC_SERVICE].buckets);
    assert_buckets(at(histogram, "generator_lag"), s->lag.buckets);
    assert_buckets(at(histogram, "censored.response"), response->censored_buckets);
    assert_value(histogram, "censored.wait", "[]");
    ck_assert_int_eq(json_integer_value(at(histogram, "sums.response.sum_ns")),
                     (json_int_t)response->sum_ns);
    ck_assert_int_eq(json_integer_value(at(histogram, "sums.response.censored_sum_ns")),
                     (json_int_t)response->censored_sum_ns);
    assert_value(histogram, "sums.response.count", "3001");
    assert_value(histogram, "sums.response.max_ns", "3600000000001");
    assert_value(histogram, "sums.response.censored", "3000");
    assert_value(histogram, "sums.response.censored_max_ns", "312245678");
    assert_value(histogram, "sums.wait",
                 "{\"count\":3000,\"sum_ns\":4498500,\"min_ns\":0,\"max_ns\":2999,"
                 "\"censored\":0,\"censored_sum_ns\":0,\"censored_max_ns\":null}");
    assert_value(histogram, "sums.service",
                 "{\"count\":0,\"sum_ns\":0,\"min_ns\":null,\"max_ns\":null,"
                 "\"censored\":0,\"censored_sum_ns\":0,\"censored_max_ns\":null}");
    json_decref(document);
}
END_TEST

/* The sum of 10.8 million waits of half an hour each exceeds the whole numbers of JSON. */
START_TEST(sums_beyond_64_bits_are_real_numbers)
{
    struct distribution *response = &summary.snapshot.metric[METRIC_RESPONSE], part;
    distribution_init(&part);
    for (int i = 0; i < 10800; i++) {
        distribution_record(&part, 1800 * NS_PER_SEC);
        distribution_censor(&part, 1800 * NS_PER_SEC);
    }
    for (int i = 0; i < 1000; i++)
        distribution_add(response, &part);
    report_json_summary(json, &summary, "time", 0);
    json_t *document = write_and_load();
    json_t *sums = at(document, "summary.histogram.sums.response");
    ck_assert_double_eq(json_number_value(at(sums, "sum_ns")), 1.944e19);
    ck_assert_double_eq(json_number_value(at(sums, "censored_sum_ns")), 1.944e19);
    ck_assert_double_eq(json_number_value(at(document, "summary.response_ms.mean")), 1.8e6);
    distribution_fini(&part);
    json_decref(document);
}
END_TEST

START_TEST(checkpoint_has_the_form_of_a_summary)
{
    fill_snapshot(&summary.snapshot);
    summary.elapsed_ns = 2 * NS_PER_SEC;
    report_json_checkpoint(json, &summary, 2500 * NS_PER_MS);
    report_json_checkpoint(json, &summary, 5 * NS_PER_SEC);
    json_t *document = write_and_load();
    ck_assert_uint_eq(json_array_size(at(document, "checkpoints")), 2);
    assert_value(document, "checkpoints.0.at_s", "2.5");
    assert_value(document, "checkpoints.1.at_s", "5.0");
    assert_value(document, "checkpoints.0.requests",
                 "{\"offered\":110,\"completed\":101,\"failed\":9,\"dropped\":2}");
    assert_value(document, "checkpoints.0.histogram.sums.response.count", "101");
    assert_value(document, "checkpoints.0.response_ms.max", "1.234567");
    json_decref(document);
}
END_TEST

START_TEST(times_are_written_exactly)
{
    /*
     * Each of these numbers of nanoseconds must be recovered from the double with its milliseconds.
     */
    const int64_t ns[] = {1, 1234567, 999999999999999, 100000000000001, 123456789012345};
    for (unsigned i = 0; i < ARRAY_SIZE(ns); i++) {
        distribution_reset(&interval.snapshot.metric[METRIC_RESPONSE]);
        distribution_record(&interval.snapshot.metric[METRIC_RESPONSE], ns[i]);
        add_interval();
    }
    json_t *document = write_and_load();
    for (unsigned i = 0; i < ARRAY_SIZE(ns); i++) {
        json_t *max = at(json_array_get(at(document, "intervals"), i), "response_ms.max");
        ck_assert(json_real_value(max) == (double)ns[i] / NS_PER_MS);
    }
    json_decref(document);
}
END_TEST

START_TEST(old_file_is_replaced_as_a_whole)
{
    char link_path[128];
    FILE *old = fopen(path, "w");
    fputs("old", old);
    fclose(old);
    ck_assert_int_eq(chmod(path, 0640), 0);
    snprintf(link_path, sizeof(link_path), "%s/link", folder);
    ck_assert_int_eq(symlink("a.json", link_path), 0);
    ck_assert_int_eq(report_json_write(json, link_path), 0);

    struct stat st;
    ck_assert_int_eq(lstat(link_path, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0640);
    unlink(link_path);
    ck_assert_int_eq(files_in_folder(), 1);
    json_decref(load());
}
END_TEST

START_TEST(new_file_has_usual_permissions)
{
    struct stat st;
    mode_t mask = umask(027);
    json_decref(write_and_load());
    ck_assert_int_eq(umask(mask), 027);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0640);
}
END_TEST

START_TEST(failures_leave_the_old_file)
{
    char missing[160];
    snprintf(missing, sizeof(missing), "%s/none/a.json", folder);
    ck_assert_int_eq(report_json_write(json, missing), -1);
    ck_assert_int_eq(report_json_write(json, folder), -1);
    ck_assert_int_eq(report_json_write(json, "/dev/full"), -1);

    json_decref(write_and_load());
    /* The disk is full after a few bytes: the old file must remain, and the bytes that were
     * written must remain in another file in the same folder. */
    for (int i = 0; i < 100; i++)
        add_interval();
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit, small = {1000, RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &limit);
    small.rlim_max = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = report_json_write(json, path);
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_int_eq(rc, -1);
    ck_assert_int_eq(files_in_folder(), 2);
    json_t *document = load();
    assert_value(document, "intervals", "[]");
    json_decref(document);
}
END_TEST

RUN_SUITE_WITH("report_json", 30, setup, teardown, empty_report_has_every_part, config_is_typed,
               config_holds_no_secret, interval_fields, interval_of_a_closed_loop, summary_fields,
               summary_percentile_is_flagged, histograms_are_lossless,
               sums_beyond_64_bits_are_real_numbers, checkpoint_has_the_form_of_a_summary,
               times_are_written_exactly, old_file_is_replaced_as_a_whole,
               new_file_has_usual_permissions, failures_leave_the_old_file)
