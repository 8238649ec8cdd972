/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports that are read again, whole and damaged; CSV rows and pages made of them. */
#include "../suite.h"

#include <string.h>
#include <unistd.h>

#include "../capture.h"
#include "base/log.h"
#include "document/html.h"
#include "document/report_csv.h"
#include "document/report_document.h"

#define HEAD                                                                                       \
    "{\"schema\":1,\"tool\":{\"name\":\"sysrate\"},\"config\":{\"threads\":4},\"test\":\"a\","
#define TAIL "\"checkpoints\":[{\"at_s\":1.5,\"histogram\":{}}],\"summary\":{\"end\":\"time\"}}"
#define FIRST                                                                                      \
    "{\"to_s\":0.5,\"warmup\":true,\"queue_length\":3,\"response_ms\":{\"mean\":1.25,"             \
    "\"percentiles\":{\"99.9\":{\"value\":null}}}}"
#define SECOND                                                                                     \
    "{\"to_s\":1.000000001,\"warmup\":false,\"counters\":{\"errors\":7},\"queue_length\":[]}"

static struct report_document document;

static int parse(const char *text)
{
    return report_document_parse(&document, "a.json", xstrdup(text), strlen(text));
}

static void assert_refused(const char *text, const char *why)
{
    struct capture capture;
    char expected[256];
    snprintf(expected, sizeof(expected), "FATAL: cannot use 'a.json': %s\n", why);
    log_flush(); /* the next message is no repetition */
    capture_start(&capture, 0);
    ck_assert_int_eq(parse(text), -1);
    char *message = capture_end(&capture);
    ck_assert_str_eq(message, expected);
    free(message);
}

static void count_interval(void *arg, const json_t *interval)
{
    *(double *)arg += json_number_value(interval_value(interval, "to_s"));
}

START_TEST(intervals_stay_text_and_the_rest_is_parsed)
{
    double sum = 0;
    ck_assert_int_eq(parse(" " HEAD "\n\"intervals\" : [\n" FIRST " ,\n" SECOND " ]," TAIL "\n"),
                     0);
    ck_assert_ptr_null(json_object_get(document.head, "intervals"));
    ck_assert_str_eq(json_string_value(json_object_get(document.head, "test")), "a");
    ck_assert_int_eq(report_document_each(&document, "a.json", count_interval, &sum), 0);
    ck_assert_double_eq(sum, 1.500000001);
    report_document_fini(&document);
    ck_assert_int_eq(parse(HEAD "\"intervals\":[]," TAIL), 0);
    ck_assert_int_eq(report_document_each(&document, "a.json", count_interval, NULL), 0);
    report_document_fini(&document);
}
END_TEST

START_TEST(brackets_and_quotes_in_strings_are_text)
{
    double sum = 0;
    ck_assert_int_eq(
        parse(HEAD
              "\"note\":\"]}\\\\\\\"[{\",\"intervals\":[{\"x\":\"}],\\\"\",\"to_s\":2}]," TAIL),
        0);
    ck_assert_str_eq(json_string_value(json_object_get(document.head, "note")), "]}\\\"[{");
    ck_assert_int_eq(report_document_each(&document, "a.json", count_interval, &sum), 0);
    ck_assert_double_eq(sum, 2);
    report_document_fini(&document);
}
END_TEST

/* Wherever a report is cut, nothing of it is taken for a report. */
START_TEST(a_report_that_is_cut_short_is_refused)
{
    static const char text[] = HEAD "\"intervals\":[" FIRST "," SECOND "]," TAIL;
    struct capture capture;
    capture_start(&capture, 0);
    for (size_t bytes = 0; bytes < sizeof(text) - 1; bytes++) {
        char *part = strndup(text, bytes);
        ck_assert_msg(report_document_parse(&document, "a.json", part, bytes) == -1,
                      "cut after %zu bytes", bytes);
    }
    free(capture_end(&capture));
    ck_assert_int_eq(parse(text), 0);
    report_document_fini(&document);
}
END_TEST

START_TEST(what_is_no_report_is_refused_in_one_line)
{
    assert_refused("", "it is empty");
    assert_refused("time,threads\n1,2\n", "it is not JSON, or cut short");
    assert_refused("[]", "it is JSON, but no report of sysrate, which is an object");
    assert_refused("[1, {}]\n", "it is JSON, but no report of sysrate, which is an object");
    assert_refused(" 7\n", "it is JSON, but no report of sysrate, which is an object");
    assert_refused("[1, {}", "it is not JSON, or cut short");
    assert_refused("{} {}", "it is not JSON, or cut short");
    assert_refused("{\"a\":xyz }", "it is not JSON");
    assert_refused("{\"a\":1}",
                   "it is JSON, but no report of sysrate (there is no \"schema\" or no \"tool\")");
    assert_refused("{\"schema\":2,\"tool\":{}}", "its schema is 2, this sysrate reads 1");
    assert_refused("{\"schema\":1,\"tool\":{},\"config\":{},\"intervals\":[]}",
                   "it has no \"config\", \"intervals\" or \"summary\" as a report of sysrate has");
}
END_TEST

START_TEST(damaged_intervals_are_refused)
{
    static const char *const intervals[] = {"[1]",   "[{]}]",      "[{} {}]",
                                            "[{},]", "[{\"a\":}]", "[null]"};
    struct capture capture;
    for (size_t i = 0; i < ARRAY_SIZE(intervals); i++) {
        double sum = 0;
        char text[512];
        snprintf(text, sizeof(text), HEAD "\"intervals\":%s," TAIL, intervals[i]);
        log_flush(); /* the next message is no repetition */
        capture_start(&capture, 0);
        bool taken = parse(text) == 0 &&
                     report_document_each(&document, "a.json", count_interval, &sum) == 0;
        ck_assert_msg(!taken, "%s", intervals[i]);
        char *message = capture_end(&capture);
        ck_assert_ptr_nonnull(strstr(message, "FATAL: cannot use 'a.json': "));
        ck_assert_ptr_eq(strchr(message, '\n'), message + strlen(message) - 1);
        free(message);
        if (document.text != NULL)
            report_document_fini(&document);
    }
}
END_TEST

static char *read_back(const char *path)
{
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    char *text = xcalloc(1, 2000000);
    ck_assert_uint_gt(fread(text, 1, 1999999, in), 0);
    fclose(in);
    unlink(path);
    return text;
}

/* The field of a row of CSV, by its column's name. */
static char *field(const char *csv, unsigned row, const char *name)
{
    char *copy = xstrdup(csv), *lines = copy, *head = strsep(&lines, "\n"), *line = NULL;
    for (unsigned i = 0; i < row; i++)
        line = strsep(&lines, "\n");
    head[strcspn(head, "\r")] = line[strcspn(line, "\r")] = '\0';
    char *value = NULL;
    for (char *column; value == NULL && (column = strsep(&head, ",")) != NULL;) {
        char *figure = strsep(&line, ",");
        if (strcmp(column, name) == 0)
            value = xstrdup(figure);
    }
    ck_assert_msg(value != NULL, "no column %s", name);
    free(copy);
    return value;
}

static void assert_field(const char *csv, unsigned row, const char *name, const char *expected)
{
    char *value = field(csv, row, name);
    ck_assert_str_eq(value, expected);
    free(value);
}

START_TEST(csv_has_a_row_per_interval_and_all_digits)
{
    ck_assert_int_eq(parse(HEAD "\"intervals\":[" FIRST "," SECOND "]," TAIL), 0);
    ck_assert_int_eq(report_csv_write("test_report_document.csv", "a.json", &document), 0);
    char *csv = read_back("test_report_document.csv");
    assert_field(csv, 1, "to_s", "0.5");
    assert_field(csv, 1, "warmup", "1");
    assert_field(csv, 1, "queue_length", "3");
    assert_field(csv, 1, "errors", "");
    assert_field(csv, 1, "response_ms_mean", "1.25");
    assert_field(csv, 1, "response_ms_p99.9", "");
    assert_field(csv, 2, "to_s", "1.000000001");
    assert_field(csv, 2, "warmup", "0");
    assert_field(csv, 2, "errors", "7");
    assert_field(csv, 2, "queue_length", "");
    ck_assert_ptr_nonnull(strstr(csv, "\r\n"));
    free(csv);
    report_document_fini(&document);
}
END_TEST

START_TEST(csv_quotes_what_needs_it)
{
    ck_assert_int_eq(parse(HEAD "\"intervals\":[{\"response_ms\":{\"percentiles\":{\"9,\\\"9\":{"
                                "\"value\":1}}}}]," TAIL),
                     0);
    ck_assert_int_eq(report_csv_write("test_report_document.csv", "a.json", &document), 0);
    char *csv = read_back("test_report_document.csv");
    ck_assert_ptr_nonnull(strstr(csv, ",\"response_ms_p9,\"\"9\"\r\n"));
    free(csv);
    report_document_fini(&document);
}
END_TEST

START_TEST(strings_in_a_page_cannot_leave_their_element)
{
    static const char hostile[] = "</script><script>\\u2028\xe2\x80\xa9<!--";
    char text[1024];
    snprintf(text, sizeof(text),
             HEAD "\"command\":\"%s\",\"intervals\":[" FIRST "," SECOND "]," TAIL, hostile);
    ck_assert_int_eq(parse(text), 0);
    struct html_run run = {"<b>", &document};
    ck_assert_int_eq(html_write("test_report_document.html", &run, 1), 0);
    char *html = read_back("test_report_document.html");
    char *data = strstr(html, "class=\"run\">"), *end = strstr(data, "</script>");
    ck_assert_ptr_nonnull(data);
    data += strlen("class=\"run\">");
    *end = '\0';
    ck_assert_ptr_null(strchr(data, '<'));
    for (const char *c = data; *c != '\0'; c++)
        ck_assert_msg((*c >= ' ' && *c <= '~') || *c == '\n', "a byte %d", *c);

    json_t *page = json_loads(data, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(page);
    ck_assert_str_eq(json_string_value(json_object_get(page, "command")),
                     "</script><script>\xe2\x80\xa8\xe2\x80\xa9<!--");
    ck_assert_str_eq(json_string_value(json_object_get(page, "name")), "<b>");
    json_t *to_s = json_object_get(json_object_get(page, "columns"), "to_s");
    ck_assert_uint_eq(json_array_size(to_s), 2);
    ck_assert_double_eq(json_number_value(json_array_get(to_s, 1)), 1.000000001);
    json_t *queue = json_object_get(json_object_get(page, "columns"), "queue_length");
    ck_assert_int_eq(json_integer_value(json_array_get(queue, 0)), 3);
    ck_assert(json_is_null(json_array_get(queue, 1)));
    json_decref(page);
    free(html);
    report_document_fini(&document);
}
END_TEST

RUN_SUITE("report_document", 30, intervals_stay_text_and_the_rest_is_parsed,
          brackets_and_quotes_in_strings_are_text, a_report_that_is_cut_short_is_refused,
          what_is_no_report_is_refused_in_one_line, damaged_intervals_are_refused,
          csv_has_a_row_per_interval_and_all_digits, csv_quotes_what_needs_it,
          strings_in_a_page_cannot_leave_their_element)
