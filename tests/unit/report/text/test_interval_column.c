/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/interval_column.h"

#include <string.h>

#include "../../suite.h"

static json_t *interval;
static struct interval_columns columns;

static void begin(const char *text)
{
    interval = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(interval);
    interval_columns_init(&columns, interval);
}

static void end(void)
{
    interval_columns_fini(&columns);
    json_decref(interval);
}

static const struct interval_column *find(const char *name)
{
    const struct interval_column *found = NULL;
    for (size_t i = 0; i < columns.count; i++) {
        if (strcmp(columns.column[i].name, name) != 0)
            continue;
        ck_assert_msg(found == NULL, "two columns %s", name);
        found = &columns.column[i];
    }
    return found;
}

/* Asserts the value of a column, given as JSON. */
static void assert_column(const char *name, const char *expected)
{
    ck_assert_msg(find(name) != NULL, "no column %s", name);
    char *found = json_dumps(interval_value(interval, find(name)->path), JSON_ENCODE_ANY);
    ck_assert_msg(strcmp(found, expected) == 0, "%s: %s instead of %s", name, found, expected);
    free(found);
}

START_TEST(fixed_columns_exist_without_figures)
{
    begin("{}");
    ck_assert_ptr_nonnull(find("to_s"));
    ck_assert_ptr_nonnull(find("errors"));
    for (size_t i = 0; i < columns.count; i++)
        ck_assert_ptr_null(interval_value(interval, columns.column[i].path));
    end();
}
END_TEST

START_TEST(percentile_columns_are_those_of_the_interval)
{
    begin(
        "{\"response_ms\":{\"mean\":2,\"percentiles\":{\"p95\":{\"value\":7},\"p99.9\":{\"value\":"
        "8}}},\"wait_ms\":{\"percentiles\":{\"p95\":{\"value\":1}}}}");
    assert_column("response_ms_mean", "2");
    assert_column("response_ms_p95", "7");
    assert_column("response_ms_p99.9", "8");
    assert_column("wait_ms_p95", "1");
    ck_assert_ptr_null(find("service_ms_p95"));
    end();
}
END_TEST

START_TEST(source_columns_are_numbers_or_null)
{
    begin("{\"probes\":{\"host\":{\"cpu\":0.5,\"memory\":null,\"late\":true,"
          "\"error\":\"gone\"}}}");
    assert_column("host_cpu", "0.5");
    assert_column("host_memory", "null");
    assert_column("host_late", "true");
    ck_assert_ptr_null(find("host_error"));
    end();
}
END_TEST

START_TEST(each_host_has_columns)
{
    begin("{\"hosts\":[{\"failed\":1},{\"failed\":2,\"counters\":{\"errors\":3},"
          "\"response_ms\":{\"percentiles\":{\"p95\":{\"value\":4}}}}]}");
    assert_column("host_0_failed", "1");
    assert_column("host_1_failed", "2");
    assert_column("host_1_errors", "3");
    assert_column("host_1_response_ms_p95", "4");
    ck_assert_ptr_null(find("host_0_response_ms_p95"));
    ck_assert_ptr_null(find("host_2_failed"));
    end();
}
END_TEST

START_TEST(each_class_of_statements_has_columns)
{
    begin("{\"statements\":[{\"class\":\"a\",\"count\":3},{\"class\":\"b\",\"rows_changed\":2,"
          "\"time_ms\":{\"mean\":null,\"percentiles\":{\"p95\":{\"value\":4}}}}]}");
    assert_column("statement_0_count", "3");
    assert_column("statement_1_rows_changed", "2");
    assert_column("statement_1_time_ms_mean", "null");
    assert_column("statement_1_time_ms_p95", "4");
    ck_assert_ptr_null(find("statement_0_time_ms_p95"));
    end();
}
END_TEST

START_TEST(each_type_of_event_has_columns)
{
    begin("{\"event_types\":[{\"type\":\"a\",\"completed_per_s\":1.5},{\"type\":\"b\",\"failed\":2,"
          "\"response_ms\":{\"percentiles\":{\"p95\":{\"value\":4}}}}]}");
    assert_column("type_0_completed_per_s", "1.5");
    assert_column("type_1_failed", "2");
    assert_column("type_1_response_ms_p95", "4");
    ck_assert_ptr_null(find("type_1_connections"));
    end();
}
END_TEST

START_TEST(drawn_columns_are_a_subset)
{
    begin("{\"response_ms\":{\"percentiles\":{\"p95\":{}}},\"wait_ms\":{\"percentiles\":{\"p95\":{}"
          "}},"
          "\"hosts\":[{}]}");
    ck_assert_ptr_nonnull(find("reads"));
    interval_columns_fini(&columns);
    interval_columns_init_drawn(&columns, interval);
    ck_assert_ptr_null(find("reads"));
    ck_assert_ptr_null(find("wait_ms_p95"));
    ck_assert_ptr_null(find("host_0_failed"));
    ck_assert_ptr_nonnull(find("to_s"));
    ck_assert_ptr_nonnull(find("response_ms_p95"));
    ck_assert_ptr_nonnull(find("host_0_completed_per_s"));
    end();
}
END_TEST

START_TEST(an_unknown_path_has_no_value)
{
    begin("{\"a\":{\"b\":1},\"list\":[5]}");
    ck_assert_int_eq(json_integer_value(interval_value(interval, "list/0")), 5);
    ck_assert_ptr_null(interval_value(interval, "list/1"));
    ck_assert_ptr_null(interval_value(interval, "a/c"));
    ck_assert_ptr_null(interval_value(interval, "a/b/c"));
    ck_assert_ptr_eq(interval_value(interval, ""), interval);
    end();
}
END_TEST

/* CSV has the same columns in each run; a page has those of the events. */
START_TEST(waits_have_columns)
{
    const char text[] = "{\"wait_events\":{\"samples\":3,\"waiting_percent\":12,"
                        "\"locks_percent\":5,\"events\":{\"wait/lock/x\":5}}}";
    begin(text);
    assert_column("wait_events_samples", "3");
    assert_column("wait_events_waiting_percent", "12");
    assert_column("wait_events_locks_percent", "5");
    ck_assert_ptr_null(find("wait:wait/lock/x"));
    interval_columns_fini(&columns);
    interval_columns_init_drawn(&columns, interval);
    assert_column("wait:wait/lock/x", "5");
    ck_assert_ptr_null(find("wait_events_locks_percent"));
    end();
    begin("{}");
    ck_assert_ptr_null(find("wait_events_samples"));
    end();
}
END_TEST

RUN_SUITE("interval_column", 30, waits_have_columns, fixed_columns_exist_without_figures,
          percentile_columns_are_those_of_the_interval, source_columns_are_numbers_or_null,
          each_host_has_columns, each_type_of_event_has_columns,
          each_class_of_statements_has_columns, drawn_columns_are_a_subset,
          an_unknown_path_has_no_value)
