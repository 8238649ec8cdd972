/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data in a page, read back. The charts that are drawn from the data are tested in a browser
 * (tests/browser). */
#include "report/page/html.h"

#include "../../capture.h"
#include "../../document_fixture.h"
#include "../../suite.h"

#define FILE_NAME "test_html.html"
#define DATA "class=\"run\">"

/* Extracts the data of the next run from a page and moves `rest` to the text after it. Returns
 * NULL if there are no more runs. */
static char *next_data(char **rest)
{
    char *data = strstr(*rest, DATA);
    if (data == NULL)
        return NULL;
    data += strlen(DATA);
    char *end = strstr(data, "</script>");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    *rest = end + 1;
    return data;
}

/* Parses the next run of a page. The caller owns the result. */
static json_t *next_run(char **rest)
{
    json_t *run = json_loads(next_data(rest), JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(run);
    return run;
}

static char *write_page(const struct html_run *runs, size_t count)
{
    ck_assert_int_eq(html_write(FILE_NAME, runs, count), 0);
    return read_back(FILE_NAME);
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

START_TEST(strings_in_a_page_cannot_leave_their_element)
{
    static const char hostile[] = "</script><script>\\u2028\xe2\x80\xa9<!--";
    char text[1024];
    snprintf(text, sizeof(text),
             HEAD "\"command\":\"%s\",\"intervals\":[" FIRST "," SECOND "]," TAIL, hostile);
    ck_assert_int_eq(parse(text), 0);
    struct html_run run = {"<b>", &document};
    char *html = write_page(&run, 1), *rest = html, *data = next_data(&rest);
    ck_assert_ptr_nonnull(data);
    ck_assert_ptr_null(strchr(data, '<'));
    for (const char *c = data; *c != '\0'; c++)
        ck_assert_msg((*c >= ' ' && *c <= '~') || *c == '\n', "a byte %d", *c);

    json_t *page = json_loads(data, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_str_eq(text_at(page, "command"), "</script><script>\xe2\x80\xa8\xe2\x80\xa9<!--");
    ck_assert_str_eq(text_at(page, "name"), "<b>");
    json_decref(page);
    free(html);
    report_document_fini(&document);
}
END_TEST

START_TEST(intervals_are_stored_by_column)
{
    ck_assert_int_eq(parse(HEAD "\"intervals\":[" FIRST "," SECOND "]," TAIL), 0);
    struct html_run run = {"a", &document};
    char *html = write_page(&run, 1), *rest = html;
    json_t *page = next_run(&rest), *columns = json_object_get(page, "columns");
    json_t *to_s = json_object_get(columns, "to_s");
    ck_assert_uint_eq(json_array_size(to_s), 2);
    ck_assert_double_eq(json_number_value(json_array_get(to_s, 1)), 1.000000001);
    json_t *queue = json_object_get(columns, "queue");
    ck_assert_int_eq(json_integer_value(json_array_get(queue, 0)), 3);
    ck_assert(json_is_null(json_array_get(queue, 1)));
    ck_assert_ptr_null(json_object_get(columns, "warmup"));
    ck_assert_ptr_null(json_object_get(page, "intervals"));
    json_decref(page);
    free(html);
    report_document_fini(&document);
}
END_TEST

#define INTERVAL(to_s, rate, histogram)                                                            \
    "{\"to_s\":" to_s ",\"workers\":4,\"completed_per_s\":" rate                                   \
    ",\"response_histogram\":" histogram "}"

/* Asserts that a column has this text. */
static void assert_column(const json_t *page, const char *name, const char *expected)
{
    const json_t *columns = json_object_get(page, "columns");
    char *found = json_dumps(json_object_get(columns, name),
                             JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    ck_assert_ptr_nonnull(found);
    ck_assert_msg(strcmp(found, expected) == 0, "%s: %s instead of %s", name, found, expected);
    free(found);
}

/* 7 ns is the eighth bucket, from 0 on; 1048576 ns = 2^20 is the first of four in its octave. */
START_TEST(intervals_are_compact)
{
    ck_assert_int_eq(
        parse(
            HEAD
            "\"intervals\":[" INTERVAL("86399.000123", "1234.56789", "[[7,2],[8,1]]") "," INTERVAL(
                "86400.000123", "null", "[[1048576,3],[1572864,4]]") "," INTERVAL("86401", "-1",
                                                                                  "[]") "]," TAIL),
        0);
    struct html_run run = {"a", &document};
    char *html = write_page(&run, 1), *rest = html;
    json_t *page = next_run(&rest);
    ck_assert_int_eq(json_integer_value(json_object_get(page, "rows")), 3);
    assert_column(page, "to_s", "[86399.000123,86400.000123,86401]");
    assert_column(page, "completed_per_s", "[1234.6,null,-1]");
    assert_column(page, "workers", "4");
    assert_column(page, "errors", "null");
    assert_column(page, "heat", "[\"7 2 1\",\"76 3 0 4\",\"\"]");
    json_decref(page);
    free(html);
    report_document_fini(&document);
}
END_TEST

/* Numbers that no run writes are stored in a bucket or ignored. */
START_TEST(invalid_histograms_do_no_harm)
{
    ck_assert_int_eq(
        parse(HEAD "\"intervals\":[" INTERVAL(
            "1", "1",
            "[[-5,1],[9223372036854775807,1],[\"a\"],7,{}]") "," INTERVAL("2", "1",
                                                                          "{\"a\":1}") "]," TAIL),
        0);
    struct html_run run = {"a", &document};
    char *html = write_page(&run, 1), *rest = html;
    json_t *page = next_run(&rest);
    const json_t *heat = json_object_get(json_object_get(page, "columns"), "heat");
    const char *first = json_string_value(json_array_get(heat, 0));
    ck_assert_int_eq(strncmp(first, "0 1 0 ", 6), 0);
    ck_assert_str_eq(first + strlen(first) - 4, " 0 1");
    ck_assert_str_eq(json_string_value(json_array_get(heat, 1)), "");
    json_decref(page);
    free(html);
    report_document_fini(&document);
}
END_TEST

/* A page contains only what it draws, so histograms of parts of the run are left out. */
START_TEST(distributions_of_parts_are_left_out)
{
    ck_assert_int_eq(
        parse(HEAD "\"intervals\":[],\"checkpoints\":[{\"at_s\":1.5,\"histogram\":{},"
                   "\"statements\":[],\"hosts\":[]}],\"summary\":{\"histogram\":{\"response\":"
                   "[[1,2]],\"lag\":[[1,2]],\"sums\":{\"response\":{\"count\":2}}},\"hosts\":[{"
                   "\"name\":\"db1\",\"histogram\":[],\"sums\":{}}]}}"),
        0);
    struct html_run run = {"a", &document};
    char *html = write_page(&run, 1), *rest = html;
    json_t *page = next_run(&rest), *summary = json_object_get(page, "summary");
    char *found = json_dumps(json_object_get(page, "checkpoints"), JSON_COMPACT);
    ck_assert_str_eq(found, "[{\"at_s\":1.5}]");
    free(found);
    found = json_dumps(summary, JSON_COMPACT | JSON_SORT_KEYS);
    ck_assert_str_eq(found, "{\"histogram\":{\"censored\":{},\"response\":[[1,2]],\"sums\":{"
                            "\"response\":{\"count\":2}}},\"hosts\":[{\"name\":\"db1\"}]}");
    free(found);
    ck_assert_uint_eq(json_object_size(json_object_get(page, "columns")), 0);
    json_decref(page);
    free(html);
    report_document_fini(&document);
}
END_TEST

START_TEST(several_runs_are_in_one_page)
{
    ck_assert_int_eq(parse(HEAD "\"intervals\":[" FIRST "]," TAIL), 0);
    struct html_run runs[] = {{"first", &document}, {"second", &document}};
    char *html = write_page(runs, ARRAY_SIZE(runs)), *rest = html;
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
        json_t *run = next_run(&rest);
        ck_assert_str_eq(text_at(run, "name"), runs[i].name);
        json_decref(run);
    }
    ck_assert_ptr_null(next_data(&rest));
    free(html);
    report_document_fini(&document);
}
END_TEST

START_TEST(a_damaged_report_leaves_the_old_page)
{
    struct capture capture;
    struct html_run run = {"a", &document};
    FILE *old = fopen(FILE_NAME, "w");
    fputs("old", old);
    fclose(old);
    ck_assert_int_eq(parse(HEAD "\"intervals\":[" FIRST ",7]," TAIL), 0);
    capture_start(&capture, 0);
    int status = html_write(FILE_NAME, &run, 1);
    free(capture_end(&capture));
    ck_assert_int_eq(status, -1);
    char *html = read_back(FILE_NAME);
    ck_assert_str_eq(html, "old");
    free(html);
    report_document_fini(&document);
}
END_TEST

START_TEST(a_run_that_has_just_ended_has_a_page)
{
    static const struct report_json_run names = {"1.2.3", "e.lua", "run", "2026-01-31T23:59:59Z"};
    struct settings settings = {.threads = 2, .percentiles = 0};
    struct report_json *json = report_json_create(&names, &settings);
    ck_assert_int_eq(html_write_report(FILE_NAME, json), 0);
    report_json_destroy(json);
    char *html = read_back(FILE_NAME), *rest = html;
    json_t *run = next_run(&rest);
    ck_assert_str_eq(text_at(run, "name"), "run");
    ck_assert_str_eq(text_at(run, "test"), "e.lua");
    json_decref(run);
    free(html);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {strings_in_a_page_cannot_leave_their_element,
                                  intervals_are_stored_by_column,
                                  intervals_are_compact,
                                  invalid_histograms_do_no_harm,
                                  distributions_of_parts_are_left_out,
                                  several_runs_are_in_one_page,
                                  a_damaged_report_leaves_the_old_page,
                                  a_run_that_has_just_ended_has_a_page};
    if (!html_available())
        return 77; /* skipped */
    return suite_run_tests("html", 30, NULL, NULL, tests, ARRAY_SIZE(tests));
}
