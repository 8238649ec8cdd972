/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The audit and the verdict of a report that ends with a headline. */
#include "../../report_fixture.h"
#include "../../suite.h"

static struct trust trust;

static void before(void)
{
    setup();
    settings.rate = 100;
    trust = (struct trust){.evidence = {.client_cpu = 0.1, .steal = 0, .goodness = 0.01},
                           .little = {2, 2.1, 0.2}};
}

static void add_finding(const char *name)
{
    struct finding *finding = &trust.verdict.finding[trust.verdict.count++];
    *finding = (struct finding){.name = name, .figure = "a figure", .advice = "Do it."};
}

/* Asserts which sections are printed, by the words before their colons. */
static void assert_sections(bool brief, bool audit, bool verdict)
{
    report_trust_once(out, &settings, &trust, brief);
    fflush(out);
    ck_assert_int_eq(strstr(text, "Audit:\n") != NULL, audit);
    ck_assert_int_eq(strstr(text, "Verdict: ") != NULL, verdict);
    rewind(out);
    memset(text, 0, text_bytes);
}

START_TEST(a_passed_audit_takes_one_line)
{
    for (int brief = 0; brief <= 1; brief++) {
        report_trust_once(out, &settings, &trust, brief);
        assert_text("Audit: all passed\n\n");
    }
    settings.rate = 0;
    trust.little = (struct little){0};
    report_trust_once(out, &settings, &trust, false);
    assert_text("Audit: all passed\n\n");
}
END_TEST

START_TEST(doubts_outside_the_verdict_are_shown)
{
    trust.little.by_law = 2.3;
    assert_sections(true, true, false);
    trust.little.by_law = 2;
    trust.evidence.spins_beside = true;
    assert_sections(true, true, false);
}
END_TEST

START_TEST(a_second_finding_is_listed)
{
    add_finding("OVERLOADED");
    assert_sections(false, true, false);
    assert_sections(true, false, false);
    add_finding("CLIENT-LIMITED");
    assert_sections(false, true, true);
    assert_sections(true, false, true);
}
END_TEST

/* The sections Requests and Response time follow, which have the same figures. */
START_TEST(a_summary_at_a_rate_omits_repeated_figures)
{
    fill_summary();
    events_format.once = true;
    report_summary(out, &events_format, &summary);
    fflush(out);
    ck_assert_ptr_null(strstr(text, "Latency"));
    ck_assert_ptr_null(strstr(text, "Throughput"));
    ck_assert_ptr_nonnull(strstr(text, "Threads fairness:"));
    settings.rate = 0;
    report_summary(out, &events_format, &summary);
    fflush(out);
    ck_assert_ptr_nonnull(strstr(text, "Latency"));
    events_format.once = false;
}
END_TEST

RUN_SUITE_WITH("report_trust", 10, before, teardown, a_passed_audit_takes_one_line,
               doubts_outside_the_verdict_are_shown, a_second_finding_is_listed,
               a_summary_at_a_rate_omits_repeated_figures)
