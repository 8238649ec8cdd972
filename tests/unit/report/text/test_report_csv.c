/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/report_csv.h"

#include <string.h>

#include "../../capture.h"
#include "../../document_fixture.h"
#include "../../suite.h"

#define FILE_NAME "test_report_csv.csv"

/* Returns the field of a row of CSV by the name of its column. */
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
    ck_assert_int_eq(report_csv_write(FILE_NAME, "a.json", &document), 0);
    char *csv = read_back(FILE_NAME);
    assert_field(csv, 1, "to_s", "0.5");
    assert_field(csv, 1, "warmup", "1");
    assert_field(csv, 1, "queue", "3");
    assert_field(csv, 1, "errors", "");
    assert_field(csv, 1, "response_ms_mean", "1.25");
    assert_field(csv, 1, "response_ms_p99.9", "");
    assert_field(csv, 2, "to_s", "1.000000001");
    assert_field(csv, 2, "warmup", "0");
    assert_field(csv, 2, "errors", "7");
    assert_field(csv, 2, "queue", "");
    ck_assert_ptr_nonnull(strstr(csv, "\r\n"));
    free(csv);
    report_document_fini(&document);
}
END_TEST

START_TEST(csv_quotes_what_needs_it)
{
    ck_assert_int_eq(parse(HEAD "\"intervals\":[{\"response_ms\":{\"percentiles\":{\"p9,\\\"9\":{"
                                "\"value\":1}}}}]," TAIL),
                     0);
    ck_assert_int_eq(report_csv_write(FILE_NAME, "a.json", &document), 0);
    char *csv = read_back(FILE_NAME);
    ck_assert_ptr_nonnull(strstr(csv, ",\"response_ms_p9,\"\"9\"\r\n"));
    free(csv);
    report_document_fini(&document);
}
END_TEST

/* Returns the cell that report_csv_text() or report_csv_figure() writes for a value. */
static char *cell_of(const char *text, const json_t *value)
{
    char *cell = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&cell, &bytes);
    if (text != NULL)
        report_csv_text(out, text);
    else
        report_csv_figure(out, value);
    fclose(out);
    return cell;
}

static void assert_text_cell(const char *text, const char *expected)
{
    char *cell = cell_of(text, NULL);
    ck_assert_str_eq(cell, expected);
    free(cell);
}

/* Asserts the cell of `value`; takes ownership of `value`. */
static void assert_figure(json_t *value, const char *expected)
{
    char *cell = cell_of(NULL, value);
    ck_assert_str_eq(cell, expected);
    free(cell);
    json_decref(value);
}

START_TEST(cells_conform_to_rfc_4180)
{
    assert_text_cell("", "");
    assert_text_cell("plain text; with 'these'", "plain text; with 'these'");
    assert_text_cell("a,b", "\"a,b\"");
    assert_text_cell("say \"a\"", "\"say \"\"a\"\"\"");
    assert_text_cell("two\nlines", "\"two\nlines\"");
    assert_figure(json_true(), "1");
    assert_figure(json_false(), "0");
    assert_figure(json_integer(INT64_MAX), "9223372036854775807");
    assert_figure(json_real(0.1), "0.1");
    assert_figure(json_real(123456789.012345), "123456789.012345");
    assert_figure(json_null(), "");
    assert_figure(json_string("text"), "");
    assert_figure(NULL, "");
}
END_TEST

START_TEST(a_damaged_report_leaves_the_old_file)
{
    struct capture capture;
    ck_assert_int_eq(parse(HEAD "\"intervals\":[" FIRST "]," TAIL), 0);
    ck_assert_int_eq(report_csv_write(FILE_NAME, "a.json", &document), 0);
    report_document_fini(&document);
    ck_assert_int_eq(parse(HEAD "\"intervals\":[" SECOND ",7]," TAIL), 0);
    capture_start(&capture, 0);
    int status = report_csv_write(FILE_NAME, "a.json", &document);
    free(capture_end(&capture));
    ck_assert_int_eq(status, -1);
    char *csv = read_back(FILE_NAME);
    assert_field(csv, 1, "to_s", "0.5");
    free(csv);
    report_document_fini(&document);
}
END_TEST

RUN_SUITE("report_csv", 30, csv_has_a_row_per_interval_and_all_digits, csv_quotes_what_needs_it,
          cells_conform_to_rfc_4180, a_damaged_report_leaves_the_old_file)
