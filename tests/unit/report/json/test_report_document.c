/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports that are read from files, complete and damaged. */
#include "../../suite.h"

#include <string.h>

#include "../../capture.h"
#include "../../document_fixture.h"
#include "base/log.h"
#include "report/text/interval_column.h"

static void assert_refused(const char *text, const char *why)
{
    struct capture capture;
    char expected[256];
    snprintf(expected, sizeof(expected), "FATAL: cannot use 'a.json': %s\n", why);
    log_flush(); /* else the next message is counted as a repetition of this one */
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

START_TEST(intervals_remain_text_and_the_rest_is_parsed)
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

/* A report that was cut at any place must be refused. */
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

START_TEST(other_files_are_refused_with_one_message)
{
    assert_refused("", "it is empty");
    assert_refused("time,threads\n1,2\n", "it is not JSON, or cut short");
    assert_refused("[]", "it is JSON, but not an object, so no report of sysrate");
    assert_refused("[1, {}]\n", "it is JSON, but not an object, so no report of sysrate");
    assert_refused(" 7\n", "it is JSON, but not an object, so no report of sysrate");
    assert_refused("[1, {}", "it is not JSON, or cut short");
    assert_refused("{} {}", "it is not JSON, or cut short");
    assert_refused("{\"a\":xyz }", "it is not JSON");
    assert_refused("{\"a\":1}",
                   "it is JSON, but no report of sysrate (there is no \"schema\" or no \"tool\")");
    assert_refused("{\"schema\":1,\"tool\":{}}", "its schema is 1, this sysrate reads 2");
    assert_refused("{\"schema\":3,\"tool\":{}}", "its schema is 3, this sysrate reads 2");
    assert_refused("{\"schema\":2,\"tool\":{},\"config\":{},\"intervals\":[]}",
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
        log_flush(); /* else the next message is counted as a repetition of this one */
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

RUN_SUITE("report_document", 30, intervals_remain_text_and_the_rest_is_parsed,
          brackets_and_quotes_in_strings_are_text, a_report_that_is_cut_short_is_refused,
          other_files_are_refused_with_one_message, damaged_intervals_are_refused)
