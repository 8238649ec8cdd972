/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/ranks.h"

#include <math.h>
#include <string.h>

#include "../suite.h"
#include "base/rand_stream.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "ranks/record_codec.h"
#include "ranks/spool.h"

enum { RANKS = 3, THREADS = 8 };

static struct rand_stream stream;
static struct rank_result rank[RANKS];
static double events[THREADS]; /* events of each worker of the run */
static struct distribution all;

static struct settings settings_of(unsigned number)
{
    struct settings s = {.rank = rank_of(number, RANKS, THREADS),
                         .time_ns = NS_PER_SEC,
                         .percentiles = 1,
                         .percentile = {99 * PERCENT}};
    s.threads = rank_threads(&s.rank);
    s.rate = 800 * rank_share(&s.rank);
    s.arrivals.elsewhere = 1 - rank_share(&s.rank);
    return s;
}

/* Fills in the result of a rank that ran for one second and was on time. */
static void fill(unsigned number)
{
    struct rank_result *r = &rank[number];
    rank_result_init(r);
    r->host = xstrdup(number == 1 ? "b" : "a");
    r->settings = settings_of(number);
    struct summary *total = &r->result.total;
    struct snapshot *s = &total->snapshot;
    const unsigned count = 100 * (unsigned)r->settings.threads;
    for (unsigned i = 0; i < count; i++) {
        const int64_t ns = (int64_t)(rand_stream_exponential(&stream) * 1e6);
        distribution_record(&s->metric[METRIC_RESPONSE], ns);
        distribution_record(&all, ns);
    }
    s->to_ns = total->elapsed_ns = NS_PER_SEC + number;
    s->counter[COUNTER_EVENT] = s->offered = count;
    total->requests = (struct requests){
        .offered = count, .completed = count, .arrivals_ns = NS_PER_SEC, .oldest_ns = number};
    double sum = 0, squares = 0;
    const double n = (double)r->settings.threads;
    for (unsigned i = 0; i < n; i++) {
        const double x = rand_stream_double(&stream) * 100;
        events[r->settings.rank.first_thread + i] = x;
        sum += x;
        squares += x * x;
    }
    total->fairness.events_mean = sum / n;
    total->fairness.events_stddev = sqrt(squares / n - sum / n * sum / n);
    r->result.ending.why = END_TIME;
    r->result.evidence = (struct evidence){.goodness = 0.01 * number,
                                           .gaps = 100,
                                           .client_cpu = 0.1 * (number + 1),
                                           .steal = -1,
                                           .arrivals_end_ns = NS_PER_SEC};
    snapshot_add(&r->result.part.snapshot, s);
}

static void setup(void)
{
    rand_stream_init(&stream, 1, RAND_WORKLOAD, 0);
    distribution_init(&all);
    for (unsigned i = 0; i < RANKS; i++)
        fill(i);
}

static void teardown(void)
{
    for (unsigned i = 0; i < RANKS; i++)
        rank_result_fini(&rank[i]);
    distribution_fini(&all);
}

static void judge_all(void)
{
    for (unsigned i = 0; i < RANKS; i++)
        rank_result_judge(&rank[i]);
}

START_TEST(the_merged_result_is_the_sum)
{
    struct ranks whole;
    judge_all();
    ranks_merge(&whole, rank, RANKS);
    const struct summary *total = &whole.result.total;
    const struct distribution *response = &total->snapshot.metric[METRIC_RESPONSE];
    ck_assert_uint_eq(response->count, all.count);
    ck_assert(response->sum_ns == all.sum_ns);
    ck_assert_int_eq(response->min_ns, all.min_ns);
    ck_assert_int_eq(response->max_ns, all.max_ns);
    ck_assert_int_eq(distribution_percentile(response, 99 * PERCENT).ns,
                     distribution_percentile(&all, 99 * PERCENT).ns);
    ck_assert_int_eq(memcmp(response->buckets, all.buckets, HISTOGRAM_BUCKETS * sizeof(uint64_t)),
                     0);
    ck_assert_uint_eq(total->requests.offered, 800);
    ck_assert_int_eq(total->requests.oldest_ns, 2);
    ck_assert_int_eq(total->elapsed_ns, NS_PER_SEC + 2);
    ck_assert_int_eq(whole.settings.threads, THREADS);
    ck_assert_double_eq_tol(whole.settings.rate, 800, 1e-9);
    ck_assert_uint_eq(whole.judgement.trust.verdict.count, 0);
    ck_assert_int_eq(whole.judgement.exit_code, EXIT_WELL);
    ck_assert_double_eq(whole.judgement.trust.evidence.client_cpu, 0.1 * 3);
    ck_assert_double_eq(whole.judgement.trust.evidence.goodness, 0.02);
    ranks_fini(&whole);
}
END_TEST

START_TEST(fairness_covers_the_workers_of_all_ranks)
{
    struct ranks whole;
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        sum += events[i];
        squares += events[i] * events[i];
    }
    const double mean = sum / THREADS;
    judge_all();
    ranks_merge(&whole, rank, RANKS);
    ck_assert_double_eq_tol(whole.result.total.fairness.events_mean, mean, 1e-9);
    ck_assert_double_eq_tol(whole.result.total.fairness.events_stddev,
                            sqrt(squares / THREADS - mean * mean), 1e-9);
    ranks_fini(&whole);
}
END_TEST

START_TEST(the_verdict_names_the_rank)
{
    struct ranks whole;
    rank[1].result.evidence.client_cpu = 0.95;
    rank[2].result.evidence.client_cpu = 0.9;
    judge_all();
    ranks_merge(&whole, rank, RANKS);
    const struct verdict *v = &whole.judgement.trust.verdict;
    ck_assert_uint_eq(v->count, 1);
    ck_assert_str_eq(v->finding[0].name, "CLIENT-LIMITED");
    ck_assert_str_eq(v->finding[0].figure,
                     "rank 2 too; rank 1 (b): the client used 95 % of all processors");
    ranks_fini(&whole);
}
END_TEST

START_TEST(a_missing_rank_cuts_the_run_short)
{
    struct ranks whole;
    judge_all();
    ranks_merge(&whole, &rank[1], 1);
    const struct verdict *v = &whole.judgement.trust.verdict;
    ck_assert_uint_eq(v->count, 1);
    ck_assert_str_eq(v->finding[0].name, "CUT-SHORT");
    ck_assert_ptr_nonnull(strstr(v->finding[0].figure, "1 of 3 ranks"));
    ck_assert_ptr_nonnull(strstr(v->finding[0].figure, "rank(s) 0, 2 "));
    ck_assert_int_eq(whole.judgement.exit_code, EXIT_FAILED);
    /* The rate and the threads that were asked for stay those of the whole run. */
    ck_assert_int_eq(whole.settings.threads, THREADS);
    ck_assert_double_eq_tol(whole.settings.rate, 800, 1e-9);
    ranks_fini(&whole);
}
END_TEST

START_TEST(the_worst_end_counts)
{
    struct ranks whole;
    rank[1].result.ending = (struct ending){.why = END_QUEUE_FULL};
    rank[2].result.ending = (struct ending){.why = END_EVENTS};
    judge_all();
    ranks_merge(&whole, rank, RANKS);
    ck_assert_int_eq(whole.result.ending.why, END_QUEUE_FULL);
    ck_assert_int_eq(whole.judgement.exit_code, EXIT_FAILED);
    ranks_fini(&whole);
}
END_TEST

START_TEST(the_time_between_ends_is_known)
{
    struct ranks whole;
    rank[1].start_wall_ns = 5;
    rank[1].result.total.requests.arrivals_ns -= 100;
    judge_all();
    ranks_merge(&whole, rank, RANKS);
    ck_assert_int_eq(whole.ends_apart_ns, 95);
    ranks_fini(&whole);
    rank[1].partial = true;
    ranks_merge(&whole, rank, RANKS);
    ck_assert_int_eq(whole.ends_apart_ns, 0);
    ranks_fini(&whole);
}
END_TEST

/* Tests of spools. */

/* Adds interval `i`; interval 0 is the warm-up. */
static void put_interval(struct bytes *to, unsigned i, unsigned events_in_it)
{
    struct interval interval = {.threads_running = 3, .asked_per_s = 5.5, .warmup = i == 0};
    snapshot_init(&interval.snapshot);
    interval.snapshot.from_ns = i * NS_PER_SEC;
    interval.snapshot.to_ns = (i + 1) * NS_PER_SEC;
    interval.snapshot.counter[COUNTER_EVENT] = events_in_it;
    interval.snapshot.offered = events_in_it + 1;
    interval.snapshot.counter[COUNTER_FAILED] = 1;
    distribution_record(&interval.snapshot.metric[METRIC_FAILED], 3 * NS_PER_MS);
    distribution_record(&interval.snapshot.metric[METRIC_FAILED_SERVICE], 2 * NS_PER_MS);
    for (unsigned k = 0; k < events_in_it; k++)
        distribution_record(&interval.snapshot.metric[METRIC_RESPONSE], k * NS_PER_MS);
    spool_put_interval(to, &interval);
    snapshot_fini(&interval.snapshot);
}

static struct bytes make_spool(void)
{
    struct bytes b = {0};
    rank[1].fingerprint = 77;
    spool_put_head(&b, &rank[1], "{\"schema\":1}");
    for (unsigned i = 0; i < 4; i++)
        put_interval(&b, i, 10 + i);
    spool_put_checkpoint(&b, &rank[1].result.part, 2 * NS_PER_SEC);
    spool_put_result(&b, &rank[1].result);
    return b;
}

START_TEST(a_spool_is_read_back)
{
    struct bytes b = make_spool(), packed = {0};
    struct spool spool;
    char *text = spool_text(&b);
    ck_assert_int_eq(spool_from_text(&packed, text), 0);
    ck_assert_uint_eq(packed.count, b.count);
    ck_assert_int_eq(memcmp(packed.data, b.data, b.count), 0);
    ck_assert_int_eq(spool_read(&spool, &packed), 0);
    ck_assert(!spool.rank.partial);
    ck_assert_str_eq(spool.rank.host, "b");
    ck_assert_str_eq(spool.document, "{\"schema\":1}");
    ck_assert_uint_eq(spool.rank.fingerprint, 77);
    ck_assert_uint_eq(spool.rank.settings.rank.number, 1);
    ck_assert_uint_eq(spool.rank.result.total.requests.offered, 300);
    ck_assert_uint_eq(spool.intervals, 4);
    ck_assert_int_eq(spool.interval[3].at_ns, 4 * NS_PER_SEC);
    struct interval interval = {0};
    snapshot_init(&interval.snapshot);
    ck_assert_int_eq(spool_interval(&spool.interval[3], &interval, NULL), 0);
    ck_assert_uint_eq(interval.snapshot.counter[COUNTER_EVENT], 13);
    ck_assert_double_eq(interval.asked_per_s, 5.5);
    snapshot_fini(&interval.snapshot);
    ck_assert_uint_eq(spool.checkpoints, 1);
    struct summary part = {0};
    snapshot_init(&part.snapshot);
    ck_assert_int_eq(spool_checkpoint(&spool.checkpoint[0], &part), 0);
    ck_assert_uint_eq(part.snapshot.counter[COUNTER_EVENT], 300);
    snapshot_fini(&part.snapshot);
    spool_fini(&spool);
    free(text);
    bytes_fini(&b);
    bytes_fini(&packed);
}
END_TEST

/* Encodes an interval of a rank in which a third of `time_ns` is on CPU, half of it is `wait`, and
 * the rest is without a connection, late, waiting and undivided, and adds it to `sum`. The rank has
 * seen `seen`, another wait, before. */
static void add_waits(struct interval *sum, const char *seen, const char *wait, double time_ns,
                      struct wait_names *names)
{
    struct bytes b = {0};
    struct wait_names own;
    struct interval interval = {0}, one = {0};
    wait_names_init(&own);
    wait_names_label(&own, seen);
    snprintf(own.event[WAIT_LABEL_NOT_CONNECTED], sizeof(own.event[0]), "no connection");
    snapshot_init(&interval.snapshot);
    snapshot_init(&one.snapshot);
    interval.waits = (struct wait_span){.names = &own, .samples = 30, .time_ns = time_ns};
    interval.waits.share[WAIT_LABEL_CPU] = 1.0 / 3;
    interval.waits.share[wait_names_label(&own, wait)] = 0.5;
    interval.waits.share[WAIT_LABEL_NOT_CONNECTED] = 1.0 / 12;
    interval.waits.late = interval.waits.queued = interval.waits.undivided = 1.0 / 36;
    interval.waits.labels = own.labels;
    struct codec writer = codec_writer(&b);
    codec_interval(&writer, &interval, NULL);
    struct codec reader = codec_reader(b.data, b.count);
    codec_interval(&reader, &one, names);
    ck_assert(codec_done(&reader));
    interval_merge(sum, &one);
    snapshot_fini(&interval.snapshot);
    snapshot_fini(&one.snapshot);
    bytes_fini(&b);
}

static double share_of(const struct wait_span *span, const char *event)
{
    for (unsigned i = 0; i < span->labels; i++)
        if (strcmp(span->names->event[i], event) == 0)
            return span->share[i];
    return -1;
}

/* The ranks have numbered their waits differently. */
START_TEST(waits_of_intervals_are_merged_by_name)
{
    struct wait_names names;
    struct interval sum = {0};
    wait_names_init(&names);
    snapshot_init(&sum.snapshot);
    add_waits(&sum, "IO:a", "Lock:b", 1e9, &names);
    add_waits(&sum, "Lock:b", "IO:a", 3e9, &names);
    add_waits(&sum, "Lock:b", "IO:a", 0, &names);
    ck_assert_uint_eq(sum.waits.samples, 90);
    ck_assert_double_eq(sum.waits.time_ns, 4e9);
    ck_assert_double_eq_tol(share_of(&sum.waits, "on CPU"), 1.0 / 3, 1e-9);
    ck_assert_double_eq_tol(share_of(&sum.waits, "no connection"), 1.0 / 12, 1e-9);
    ck_assert_double_eq_tol(sum.waits.late, 1.0 / 36, 1e-9);
    ck_assert_double_eq_tol(sum.waits.queued, 1.0 / 36, 1e-9);
    ck_assert_double_eq_tol(sum.waits.undivided, 1.0 / 36, 1e-9);
    ck_assert_double_eq_tol(share_of(&sum.waits, "Lock:b"), 0.125, 1e-9);
    ck_assert_double_eq_tol(share_of(&sum.waits, "IO:a"), 0.375, 1e-9);
    ck_assert_int_eq(wait_span_kind(&sum.waits, WAIT_LABEL_NOT_CONNECTED), WAIT_KIND_SILENT);
    snapshot_fini(&sum.snapshot);
}
END_TEST

/* Wherever the spool is cut, the complete records before the cut are read, and the result is
 * partial. */
START_TEST(a_spool_that_was_cut_is_read_up_to_the_cut)
{
    struct bytes b = make_spool();
    const size_t count = b.count;
    size_t most = 0;
    for (size_t cut = 0; cut < count; cut += 37) {
        struct spool spool;
        b.count = cut;
        if (spool_read(&spool, &b) != 0) {
            ck_assert_uint_eq(most, 0);
            continue;
        }
        ck_assert(spool.rank.partial);
        ck_assert_uint_ge(spool.intervals, most);
        most = spool.intervals;
        /* The first interval was the warm-up. */
        const unsigned events_seen[] = {0, 0, 11, 23, 36};
        ck_assert_uint_eq(spool.rank.result.total.requests.completed, events_seen[most]);
        /* One request has failed in each interval; its times are lower bounds. */
        const struct distribution *metric = spool.rank.result.total.snapshot.metric;
        const unsigned measured = most > 1 ? (unsigned)most - 1 : 0;
        ck_assert_uint_eq(metric[METRIC_RESPONSE].censored, measured);
        ck_assert_uint_eq(metric[METRIC_SERVICE].censored, measured);
        ck_assert_int_eq(spool.rank.judgement.exit_code, EXIT_FAILED);
        spool_fini(&spool);
    }
    ck_assert_uint_eq(most, 4);
    bytes_fini(&b);
}
END_TEST

START_TEST(a_changed_byte_is_noticed)
{
    struct bytes b = make_spool();
    for (size_t at = 0; at < b.count; at++) {
        struct spool spool;
        b.data[at] ^= 4;
        if (spool_read(&spool, &b) == 0) {
            ck_assert(spool.rank.partial);
            spool_fini(&spool);
        }
        b.data[at] ^= 4;
    }
    bytes_fini(&b);
}
END_TEST

START_TEST(other_texts_are_no_spools)
{
    static const char *const texts[] = {"", "Zm9v", "AAAA", "{}", "//////////////8="};
    for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
        struct bytes b = {0};
        ck_assert_msg(spool_from_text(&b, texts[i]) != 0, "%s", texts[i]);
        bytes_fini(&b);
    }
}
END_TEST

static void sample(unsigned number)
{
    rank[number].result.sampled = wait_record_create();
    rank[number].result.sampled->per_second = 5;
    rank[number].result.sampled->elapsed_s = 10 + number;
}

START_TEST(ranks_without_samples_are_named)
{
    struct ranks whole;
    sample(0);
    ranks_merge(&whole, rank, 2);
    ck_assert_double_eq(whole.result.sampled->per_second, 5);
    ck_assert_uint_eq(whole.result.waits->notes, 1);
    ck_assert_ptr_nonnull(strstr(whole.result.waits->note[0], "rank(s) 1, 2 are missing"));
    ranks_fini(&whole);
    sample(1);
    sample(2);
    ranks_merge(&whole, rank, RANKS);
    ck_assert_double_eq(whole.result.sampled->per_second, 15);
    ck_assert_double_eq(whole.result.sampled->elapsed_s, 12);
    ck_assert_uint_eq(whole.result.waits->notes, 0);
    ranks_fini(&whole);
}
END_TEST

START_TEST(samples_of_repeats_are_of_one_time_after_the_other)
{
    struct ranks whole;
    for (unsigned i = 0; i < RANKS; i++)
        sample(i);
    ranks_merge_repeats(&whole, rank, RANKS);
    ck_assert_double_eq(whole.result.sampled->per_second, 5);
    ck_assert_double_eq(whole.result.sampled->elapsed_s, 33);
    ck_assert_uint_eq(whole.result.waits->notes, 0);
    ranks_fini(&whole);
}
END_TEST

RUN_SUITE_WITH("ranks", 60, setup, teardown, the_merged_result_is_the_sum,
               fairness_covers_the_workers_of_all_ranks, the_verdict_names_the_rank,
               a_missing_rank_cuts_the_run_short, the_worst_end_counts,
               the_time_between_ends_is_known, a_spool_is_read_back,
               waits_of_intervals_are_merged_by_name, a_spool_that_was_cut_is_read_up_to_the_cut,
               a_changed_byte_is_noticed, other_texts_are_no_spools,
               ranks_without_samples_are_named, samples_of_repeats_are_of_one_time_after_the_other)
