/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact text of the sections at an arrival rate, of checkpoints and of histograms. */
#include <string.h>
#include <unistd.h>

#include "../../report_fixture.h"
#include "../../suite.h"
#include "base/log.h"
#include "report/text/report.h"
#include "result/ranks.h"

static void fill_times(void)
{
    struct snapshot *s = &summary.snapshot;
    record_ms(s, METRIC_WAIT, 0.5, 90);
    record_ms(s, METRIC_WAIT, 15, 10);
    record_ms(s, METRIC_SERVICE, 1, 90);
    record_ms(s, METRIC_SERVICE, 5, 10);
    for (int i = 0; i < 98; i++)
        distribution_record(&s->lag, 4 * NS_PER_US);
    distribution_record(&s->lag, 16 * NS_PER_US);
    distribution_record(&s->lag, 80250);
}

#define LAG                                                                                        \
    "Generator lag (us):\n"                                                                        \
    "         p50                                     4.00\n"                                      \
    "         p99                                    16.01\n"                                      \
    "         max                                    80.25\n"                                      \
    "\n"

#define TIMES                                                                                      \
    "Response time (ms):    wait      service     response\n"                                      \
    "         min           0.50         1.00         1.50\n"                                      \
    "        mean           1.95         1.40         3.35\n"                                      \
    "         max          15.00         5.00        20.00\n"                                      \
    "         p95          15.00         5.00        20.00\n"                                      \
    "\n"

START_TEST(requests_of_a_good_run)
{
    fill_summary();
    fill_times();
    summary.requests =
        (struct requests){.offered = 63128, .arrivals_ns = 180 * NS_PER_SEC, .completed = 63128};
    report_requests(out, &events_format, &summary);
    assert_text("Requests:\n"
                "    offered:                             63128  (350.71 per sec.)\n"
                "    completed:                           63128  (345.35 per sec.)\n"
                "    failed:                              0\n"
                "    dropped:                             0\n"
                "    unfinished:                          0\n"
                "    accounted for:                       63128  (completed + failed + dropped + "
                "unfinished)\n"
                "\n" LAG TIMES);
}
END_TEST

START_TEST(requests_of_an_overload)
{
    fill_summary();
    fill_times();
    for (int i = 0; i < 100; i++) {
        distribution_censor(&summary.snapshot.metric[METRIC_RESPONSE], 2035100000);
        distribution_censor(&summary.snapshot.metric[METRIC_WAIT], 2035100000);
    }
    settings.percentiles = 2;
    settings.percentile[0] = 25 * PERCENT;
    settings.percentile[1] = 99900000;
    summary.elapsed_ns = 10 * NS_PER_SEC;
    summary.requests = (struct requests){.offered = 10000,
                                         .arrivals_ns = 10 * NS_PER_SEC,
                                         .completed = 9000,
                                         .failed = 1,
                                         .dropped = 900,
                                         .queued = 97,
                                         .in_service = 2,
                                         .oldest_ns = 2035100000};
    report_requests(out, &events_format, &summary);
    assert_text("Requests:\n"
                "    offered:                             10000  (1000.00 per sec.)\n"
                "    completed:                           9000   (900.00 per sec.)\n"
                "    failed:                              1\n"
                "    dropped:                             900\n"
                "    unfinished:                          99     (97 queued, 2 in service, oldest "
                "2035.10 ms)\n"
                "    accounted for:                       10000  (completed + failed + dropped + "
                "unfinished)\n"
                "\n" LAG "Response time (ms):    wait      service     response\n"
                "         min           0.50         1.00         1.50\n"
                "        mean       >1018.52         1.40     >1019.23\n"
                "         max       >2035.10         5.00     >2035.10\n"
                "         p25           0.50         1.00         1.50\n"
                "       p99.9       >2035.10         5.00     >2035.10\n"
                "\n");
}
END_TEST

/* Runs report_requests() with standard error in a file and returns what was written there. */
static char *messages_of_requests(void)
{
    static char message[512];
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);

    ck_assert(file != NULL && saved >= 0);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    report_conservation(&summary);
    log_flush();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    message[fread(message, 1, sizeof(message) - 1, file)] = '\0';
    fclose(file);
    return message;
}

START_TEST(requests_that_do_not_add_up)
{
    summary.requests =
        (struct requests){.offered = 10, .completed = 8, .queued = 1, .in_service = 1};
    ck_assert_str_eq(messages_of_requests(), "");
    summary.requests.in_service = 0;
    ck_assert_str_eq(messages_of_requests(),
                     "ALERT: the requests do not add up: 10 offered, but 9 completed, failed, "
                     "dropped or unfinished: do not trust this report\n");
}
END_TEST

START_TEST(checkpoint)
{
    fill_summary();
    fill_times();
    report_checkpoint_heading(out, 60 * NS_PER_SEC);
    report_checkpoint_heading(out, 2500 * NS_PER_MS);
    report_times(out, &events_format, &summary);
    assert_text("[ 60s ] Checkpoint report:\n[ 2.5s ] Checkpoint report:\n" LAG TIMES);
}
END_TEST

START_TEST(histogram_grid)
{
    /* The lines that sysbench 1.0 prints for such times: 5.090, 5.183 … are steps of its grid. */
    struct distribution d;
    distribution_init(&d);
    for (int i = 0; i < 107; i++)
        distribution_record(&d, 5150000);
    for (int i = 0; i < 82; i++)
        distribution_record(&d, 5080000);
    distribution_record(&d, 8428000);
    distribution_record(&d, 0);
    distribution_record(&d, 300);
    distribution_record(&d, 200 * NS_PER_SEC);
    report_histogram(out, &d);
    assert_text("Latency histogram (values are in milliseconds)\n"
                "       value  ------------- distribution ------------- count\n"
                "       0.001 |*                                        2\n"
                "       5.090 |*******************************          82\n"
                "       5.183 |**************************************** 107\n"
                "       8.428 |                                         1\n"
                "  100000.000 |                                         1\n"
                " \n");
    distribution_fini(&d);
}
END_TEST

START_TEST(histogram_of_nothing_and_of_bounds)
{
    struct distribution d;
    distribution_init(&d);
    report_histogram(out, &d);
    assert_text("Latency histogram (values are in milliseconds)\n \n");
    distribution_censor(&d, NS_PER_SEC);
    report_histogram(out, &d);
    assert_text("Latency histogram (values are in milliseconds)\n"
                "1 more requests did not complete, so they have no value\n \n");
    distribution_fini(&d);
}
END_TEST

/* Reports a run whose mean response time is 10 ms, with a mean wait of 4 ms, of which `lag_us`
 * are caused by the generator. */
static void report_waits(int64_t lag_us, unsigned count)
{
    struct ranks ranks = {.count = count, .settings = {.rate = 100}};
    struct snapshot *s = &ranks.result.total.snapshot;
    snapshot_init(s);
    record_ms(s, METRIC_WAIT, 4, 10);
    record_ms(s, METRIC_RESPONSE, 10, 10);
    distribution_record(&s->lag, lag_us * NS_PER_US);
    report_queues(out, &ranks);
    snapshot_fini(s);
}

START_TEST(queues_of_several_ranks)
{
    report_waits(2900, 2);
    assert_text("        each rank has a queue of its own: of a mean response time of 10.00 ms, "
                "4.00 ms are waits, which one\n"
                "        queue for the workers of all ranks would make shorter\n");
    report_waits(3100, 2);
    assert_text("");
    report_waits(0, 1);
    assert_text("");
}
END_TEST

RUN_SUITE_WITH("report_requests", 30, setup, teardown, requests_of_a_good_run,
               requests_of_an_overload, requests_that_do_not_add_up, checkpoint, histogram_grid,
               histogram_of_nothing_and_of_bounds, queues_of_several_ranks)
