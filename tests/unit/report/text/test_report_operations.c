/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact text of errors by code and statements by class. */
#include "../../report_fixture.h"
#include "../../suite.h"

static struct operation_class *add_class(const char *name, uint64_t count, int64_t ns)
{
    struct operation_totals *t = summary.snapshot.operations;
    struct operation_class *c = &t->class[t->classes++];
    strcpy(c->name, name);
    c->count = count;
    distribution_init(&c->time);
    for (uint64_t i = 0; i < count; i++)
        distribution_record(&c->time, ns);
    return c;
}

static void add_error(unsigned class, int code, const char *state, const char *message,
                      uint64_t count, uint64_t ignored)
{
    struct operation_totals *t = summary.snapshot.operations;
    struct operation_error *e = &t->error[t->errors++];
    *e = (struct operation_error){.class = class, .code = code, .count = count, .ignored = ignored};
    strcpy(e->state, state);
    strcpy(e->message, message);
}

START_TEST(no_errors_and_no_classes)
{
    setup();
    report_operations(out, &events_format, &summary);
    add_error(0, 1, "", "of another part", 0, 0);
    report_operations(out, &events_format, &summary);
    assert_text("");
    teardown();
}
END_TEST

START_TEST(errors_of_all_classes_together)
{
    setup();
    add_error(0, 1213, "40001", "Deadlock", 5, 5);
    add_error(1, 1213, "40001", "Deadlock", 3, 2);
    add_error(1, 5, "", "database is locked", 1, 0);
    report_operations(out, &events_format, &summary);
    assert_text("Errors by code:\n"
                "        code  state      count    ignored  message\n"
                "        1213  40001          8          7  Deadlock\n"
                "           5      -          1          0  database is locked\n"
                "\n");
    teardown();
}
END_TEST

START_TEST(classes_with_percentiles)
{
    setup();
    settings.percentiles = 2;
    settings.percentile[0] = 50 * PERCENT;
    settings.percentile[1] = 999 * PERCENT / 10;
    struct operation_class *c = add_class("point_selects", 10, 1500000);
    c->matched = 9;
    c = add_class("updates", 2, 20 * NS_PER_MS);
    c->errors = 1;
    c->matched = 2;
    c->changed = 1;
    report_operations(out, &events_format, &summary);
    assert_text("Statements by class (times in ms):\n"
                "    class              count     errors      matched      changed      mean       "
                "p50     p99.9       max\n"
                "    point_selects         10          0            9            0      1.50      "
                "1.50      1.50      1.50\n"
                "    updates                2          1            2            1     20.00     "
                "20.00     20.00     20.00\n"
                "\n");
    teardown();
}
END_TEST

static const char *target_name(struct report_format *format, const char *name)
{
    struct target_totals *t = summary.snapshot.targets;
    format->workload.targets = "Hosts";
    t->count = 2;
    for (unsigned i = 0; i < t->count; i++) {
        snprintf(t->target[i].name, sizeof(t->target[i].name), "%s", name);
        for (unsigned m = 0; m < METRIC_TYPES; m++)
            distribution_init(&t->target[i].metric[m]);
    }
    report_targets(out, format, &summary);
    fflush(out);
    return text;
}

/* Names and messages come from options and servers, so they may contain control characters. */
START_TEST(control_characters_are_replaced)
{
    setup();
    struct report_format format = events_format;
    const char *hosts = target_name(&format, "db\n\x1b[2J1");
    ck_assert_ptr_nonnull(strstr(hosts, "    db??[2J1 "));
    ck_assert_ptr_null(strchr(hosts, '\x1b'));
    add_error(0, 5, "", "no\x1b]0;x\asuch", 1, 0);
    add_class("a\x9b\rb", 1, 1500000);
    report_operations(out, &events_format, &summary);
    fflush(out);
    ck_assert_ptr_nonnull(strstr(text, "  no?]0;x?such\n"));
    ck_assert_ptr_nonnull(strstr(text, "    a??b "));
    teardown();
}
END_TEST

RUN_SUITE("report_operations", 20, no_errors_and_no_classes, errors_of_all_classes_together,
          classes_with_percentiles, control_characters_are_replaced)
