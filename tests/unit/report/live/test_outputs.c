/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of outputs, and the text that each output writes for invented intervals. */
#include "../../suite.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../capture.h"
#include "../../report_fixture.h"
#include "report/json/report_json.h"
#include "report/live/outputs.h"

static struct outputs outputs;
static char folder[64];
static struct capture capture;

/* Changes into a new folder for each test. */
static void before(void)
{
    setup();
    interval.snapshot.to_ns = NS_PER_SEC;
    interval.snapshot.counter[COUNTER_EVENT] = 5;
    strcpy(folder, "test_outputs.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

/* Returns the number of files in the folder, and removes them if `remove` is true. */
static int files(bool remove)
{
    int n = 0;
    DIR *dir = opendir(".");
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        n += e->d_name[0] != '.';
        if (remove && e->d_name[0] != '.')
            unlink(e->d_name);
    }
    closedir(dir);
    return n;
}

static void after(void)
{
    files(true);
    ck_assert_int_eq(chdir(".."), 0);
    rmdir(folder);
    teardown();
}

static char *contents(const char *name)
{
    char *bytes = xcalloc(1, 1 << 16);
    FILE *file = fopen(name, "r");
    ck_assert_msg(file != NULL, "%s is not there", name);
    size_t got = fread(bytes, 1, (1 << 16) - 1, file);
    fclose(file);
    bytes[got] = '\0';
    return bytes;
}

static unsigned times_in(const char *haystack, const char *needle)
{
    unsigned n = 0;
    for (const char *at = haystack; (at = strstr(at, needle)) != NULL; at += strlen(needle))
        n++;
    return n;
}

static void open_all(void)
{
    ck_assert_int_eq(outputs_init(&outputs, &settings), 0);
}

/* Passes an interval to the outputs, with its JSON if an output takes it. */
static void play_interval(void)
{
    const bool needs_json = outputs_take_json(&outputs);
    json_t *value = needs_json ? report_json_interval_value(&settings, &interval) : NULL;
    outputs_interval(&outputs, &interval, value);
    json_decref(value);
}

/* Passes two intervals. */
static void play(void)
{
    play_interval();
    interval.snapshot.from_ns = interval.snapshot.to_ns;
    interval.snapshot.to_ns += NS_PER_SEC;
    play_interval();
}

static void finish(void)
{
    ck_assert_int_eq(outputs_finish(&outputs, &summary.snapshot), 0);
    outputs_fini(&outputs);
}

START_TEST(no_outputs_without_options)
{
    open_all();
    ck_assert_uint_eq(outputs.count, 0);
    ck_assert(!outputs_want_updates(&outputs));
    play();
    finish();
    ck_assert_int_eq(files(false), 0);
}
END_TEST

START_TEST(csv_file_appears_at_the_end)
{
    settings.csv_path = "a.csv";
    open_all();
    ck_assert(!outputs_want_updates(&outputs));
    play();
    ck_assert_int_ne(access("a.csv", F_OK), 0);
    finish();
    char *csv = contents("a.csv");
    ck_assert_int_eq(strncmp(csv, "from_s,to_s,seconds,warmup,", 27), 0);
    ck_assert_uint_eq(times_in(csv, "\r\n"), 3);
    ck_assert_ptr_nonnull(strstr(csv, "\r\n0,1,1,0,2,"));
    ck_assert_ptr_nonnull(strstr(csv, "\r\n1,2,1,0,2,"));
    ck_assert_int_eq(files(false), 1);
    free(csv);
}
END_TEST

START_TEST(unfinished_outputs_leave_no_file)
{
    settings.csv_path = "a.csv";
    settings.hlog_path = "a.hlog";
    settings.hgrm_path = "a.hgrm";
    open_all();
    ck_assert_uint_eq(outputs.count, 3);
    play();
    outputs_fini(&outputs);
    ck_assert_int_eq(files(false), 0);
}
END_TEST

START_TEST(csv_on_standard_output)
{
    settings.report_format = REPORT_FORMAT_CSV;
    capture_start(&capture, 1);
    open_all();
    play();
    finish();
    char *printed = capture_end(&capture);
    ck_assert_int_eq(strncmp(printed, "from_s,", 7), 0);
    ck_assert_uint_eq(times_in(printed, "\r\n"), 3);
    free(printed);
}
END_TEST

START_TEST(json_on_standard_output)
{
    settings.report_format = REPORT_FORMAT_JSON;
    capture_start(&capture, 1);
    open_all();
    play();
    finish();
    char *printed = capture_end(&capture);
    ck_assert_uint_eq(times_in(printed, "\n"), 2);
    ck_assert_uint_eq(times_in(printed, "\"completed\":5,"), 2);
    json_t *value = json_loadb(printed, strlen(printed), JSON_DISABLE_EOF_CHECK, NULL);
    ck_assert_ptr_nonnull(value);
    json_decref(value);
    free(printed);
}
END_TEST

START_TEST(hlog_has_a_line_per_kind_of_time)
{
    settings.hlog_path = "a.hlog";
    open_all();
    play_interval();
    record_ms(&interval.snapshot, METRIC_WAIT, 1, 3);
    play_interval();
    finish();
    char *log = contents("a.hlog");
    ck_assert_uint_eq(times_in(log, "#[StartTime: "), 1);
    ck_assert_uint_eq(times_in(log, "\nTag=response,0.000,1.000,"), 2);
    ck_assert_uint_eq(times_in(log, "\nTag=wait,"), 1);
    ck_assert_uint_eq(times_in(log, "\nTag=service,"), 0);
    free(log);
}
END_TEST

START_TEST(hlog_without_intervals_has_a_header)
{
    settings.hlog_path = "a.hlog";
    open_all();
    finish();
    char *log = contents("a.hlog");
    ck_assert_uint_eq(times_in(log, "#[StartTime: "), 1);
    ck_assert_uint_eq(times_in(log, "\nTag="), 0);
    free(log);
}
END_TEST

START_TEST(hgrm_is_of_the_whole_run)
{
    settings.hgrm_path = "a.hgrm";
    open_all();
    record_ms(&interval.snapshot, METRIC_RESPONSE, 1, 7);
    record_ms(&summary.snapshot, METRIC_RESPONSE, 1, 42);
    play();
    finish();
    char *table = contents("a.hgrm");
    ck_assert_ptr_nonnull(strstr(table, "Total count    =           42]"));
    free(table);
}
END_TEST

/* Metrics include the warm-up: the total that finish() gets does not, and counters must not
 * decrease. */
START_TEST(metrics_count_from_the_start)
{
    settings.prom_file_path = "a.prom";
    settings.rate = 10;
    open_all();
    ck_assert(outputs_want_updates(&outputs));
    outputs_collect(&outputs, &interval.snapshot);
    outputs_collect(&outputs, &interval.snapshot);
    outputs_update(&outputs, (struct gauges){.threads_running = 2, .queue_length = 3});
    char *metrics = contents("a.prom");
    ck_assert_ptr_nonnull(strstr(metrics, "\nsysrate_requests_completed_total 10\n"));
    ck_assert_ptr_nonnull(strstr(metrics, "\nsysrate_queue 3\n"));
    free(metrics);
    summary.snapshot.counter[COUNTER_EVENT] = 1;
    finish();
    metrics = contents("a.prom");
    ck_assert_ptr_nonnull(strstr(metrics, "\nsysrate_requests_completed_total 10\n"));
    ck_assert_ptr_nonnull(strstr(metrics, "\nsysrate_queue 0\n"));
    ck_assert_int_eq(files(false), 1);
    free(metrics);
}
END_TEST

START_TEST(a_failed_metrics_file_is_reported_once)
{
    settings.prom_file_path = "missing/a.prom";
    open_all();
    capture_start(&capture, 1);
    outputs_update(&outputs, (struct gauges){0});
    outputs_update(&outputs, (struct gauges){0});
    int status = outputs_finish(&outputs, &summary.snapshot);
    char *printed = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_uint_eq(times_in(printed, "FATAL: "), 1);
    free(printed);
    outputs_fini(&outputs);
}
END_TEST

/* Returns a listening socket; `port` gets its port number. */
static int occupy_port(char *port, size_t bytes)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof(own);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&own, length), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&own, &length), 0);
    snprintf(port, bytes, "%u", ntohs(own.sin_port));
    return fd;
}

START_TEST(an_output_that_cannot_be_opened_is_an_error)
{
    char port[16];
    int fd = occupy_port(port, sizeof(port));
    settings.csv_path = "a.csv";
    settings.prom_address = port;
    capture_start(&capture, 1);
    int status = outputs_init(&outputs, &settings);
    char *printed = capture_end(&capture);
    ck_assert_int_eq(status, -1);
    ck_assert_ptr_nonnull(strstr(printed, ": cannot listen there"));
    free(printed);
    outputs_fini(&outputs);
    ck_assert_int_eq(files(false), 0);
    close(fd);
}
END_TEST

START_TEST(csv_and_json_need_the_json_of_an_interval)
{
    settings.hlog_path = "a.hlog";
    settings.hgrm_path = "a.hgrm";
    settings.prom_file_path = "a.prom";
    open_all();
    ck_assert(!outputs_take_json(&outputs));
    outputs_fini(&outputs);
    settings.csv_path = "a.csv";
    open_all();
    ck_assert(outputs_take_json(&outputs));
    outputs_fini(&outputs);
    settings.csv_path = NULL;
    settings.report_format = REPORT_FORMAT_JSON;
    open_all();
    ck_assert(outputs_take_json(&outputs));
    outputs_fini(&outputs);
}
END_TEST

/* An output that the test owns and that fails. */

static unsigned destroyed, updated;

static int refuse(void *self, const struct snapshot *total)
{
    (void)self, (void)total;
    return -1;
}

static void count_update(void *self, struct gauges gauges)
{
    (void)self, (void)gauges;
    updated++;
}

static void count_destroy(void *self)
{
    (void)self;
    destroyed++;
}

START_TEST(all_outputs_are_finished_after_a_failure)
{
    static const struct output_ops ops = {
        .update = count_update, .finish = refuse, .destroy = count_destroy};
    settings.csv_path = "a.csv";
    settings.hgrm_path = "a.hgrm";
    open_all();
    outputs_add(&outputs, (struct output){&ops, NULL});
    ck_assert(outputs_want_updates(&outputs));
    outputs_collect(&outputs, &interval.snapshot);
    outputs_update(&outputs, (struct gauges){0});
    ck_assert_uint_eq(updated, 1);
    play();
    ck_assert_int_eq(outputs_finish(&outputs, &summary.snapshot), -1);
    ck_assert_int_eq(files(false), 2);
    ck_assert_uint_eq(destroyed, 0);
    outputs_fini(&outputs);
    ck_assert_uint_eq(destroyed, 1);
}
END_TEST

RUN_SUITE_WITH("outputs", 30, before, after, no_outputs_without_options,
               csv_file_appears_at_the_end, unfinished_outputs_leave_no_file,
               csv_on_standard_output, json_on_standard_output,
               hlog_has_a_line_per_kind_of_time,
               hlog_without_intervals_has_a_header,
               hgrm_is_of_the_whole_run, metrics_count_from_the_start,
               a_failed_metrics_file_is_reported_once, an_output_that_cannot_be_opened_is_an_error,
               csv_and_json_need_the_json_of_an_interval, all_outputs_are_finished_after_a_failure)
