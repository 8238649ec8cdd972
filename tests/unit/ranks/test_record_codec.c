/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/record_codec.h"

#include <string.h>

#include "../suite.h"
#include "base/rand_stream.h"
#include "base/util.h"

static struct rand_stream stream;

static int64_t draw_ns(void)
{
    return (int64_t)(rand_stream_exponential(&stream) * 3e6);
}

static void fill_distribution(struct distribution *d, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        distribution_record(d, draw_ns());
    for (unsigned i = 0; i < count / 10; i++)
        distribution_censor(d, 2 * draw_ns());
}

static void add_class(struct operation_totals *t, const char *name, unsigned count)
{
    struct operation_class *c = &t->class[t->classes++];
    snprintf(c->name, sizeof(c->name), "%s", name);
    distribution_init(&c->time);
    fill_distribution(&c->time, count);
    c->count = count;
    c->matched = 3 * count;
    c->changed = 2 * count;
    c->errors = 1;
}

static void add_error(struct operation_totals *t, unsigned class, int code, uint64_t count)
{
    struct operation_error *e = &t->error[t->errors++];
    *e = (struct operation_error){.class = class, .code = code, .count = count, .ignored = 1};
    strcpy(e->state, "40001");
    strcpy(e->message, "Deadlock found");
}

static void add_target(struct target_totals *t, const char *name, unsigned count)
{
    struct target_total *to = &t->target[t->count++];
    snprintf(to->name, sizeof(to->name), "%s", name);
    to->connections = 4;
    to->lost = 1;
    to->counter[COUNTER_EVENT] = count;
    for (unsigned m = 0; m < METRIC_TYPES; m++) {
        distribution_init(&to->metric[m]);
        fill_distribution(&to->metric[m], count);
    }
}

static void fill_snapshot(struct snapshot *s, const char *first_class, const char *second_class)
{
    snapshot_init(s);
    s->from_ns = 5;
    s->to_ns = INT64_C(1) << 40;
    for (unsigned i = 0; i < COUNTER_TYPES; i++)
        s->counter[i] = rand_stream_u64(&stream) >> 20;
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        fill_distribution(&s->metric[m], 1000);
    fill_distribution(&s->lag, 100);
    /* Sums that have wrapped around, and one with more than 64 bits. */
    s->arrived_ns = UINT64_MAX - 7;
    s->departed_ns = rand_stream_u64(&stream);
    s->metric[METRIC_WAIT].sum_ns = (unsigned __int128)5 << 70 | 99;
    s->offered = 12345;
    s->dropped = 17;
    s->effects.count[WRITE_DELETE][EFFECT_ROWS_CHANGED] = 99;
    *quality_totals_make(s->qualities, "recall") = (struct quality_total){"recall", 7, -0.9, 1.5};
    add_class(s->operations, first_class, 50);
    add_class(s->operations, second_class, 70);
    add_error(s->operations, 1, 1213, 4);
    add_error(s->operations, OPERATION_NO_CLASS, 2006, 2);
    add_target(s->targets, first_class, 30);
}

static void check_same(const struct distribution *a, const struct distribution *b)
{
    const size_t bytes = HISTOGRAM_BUCKETS * sizeof(*a->buckets);
    ck_assert_uint_eq(a->count, b->count);
    ck_assert(a->sum_ns == b->sum_ns && a->censored_sum_ns == b->censored_sum_ns);
    ck_assert_int_eq(a->min_ns, b->min_ns);
    ck_assert_int_eq(a->max_ns, b->max_ns);
    ck_assert_uint_eq(a->censored, b->censored);
    ck_assert_int_eq(a->censored_max_ns, b->censored_max_ns);
    ck_assert_int_eq(memcmp(a->buckets, b->buckets, bytes), 0);
    if (a->censored > 0)
        ck_assert_int_eq(memcmp(a->censored_buckets, b->censored_buckets, bytes), 0);
}

/* Encodes both, so that everything the codec knows is compared. */
static void check_same_bytes(const struct bytes *a, const struct bytes *b)
{
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_int_eq(memcmp(a->data, b->data, a->count), 0);
}

START_TEST(a_snapshot_comes_back)
{
    struct snapshot s, again;
    struct bytes b = {0}, b_again = {0};
    fill_snapshot(&s, "select", "update");
    struct codec out = codec_writer(&b);
    codec_snapshot(&out, &s);

    snapshot_init(&again);
    struct codec in = codec_reader(b.data, b.count);
    codec_snapshot(&in, &again);
    ck_assert(codec_done(&in));
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        check_same(&s.metric[m], &again.metric[m]);
    check_same(&s.lag, &again.lag);
    ck_assert_int_eq(memcmp(s.counter, again.counter, sizeof(s.counter)), 0);
    ck_assert_int_eq(memcmp(&s.effects, &again.effects, sizeof(s.effects)), 0);
    ck_assert_uint_eq(again.arrived_ns, s.arrived_ns);
    ck_assert_uint_eq(again.operations->classes, 2);
    ck_assert_str_eq(again.operations->class[1].name, "update");
    check_same(&again.operations->class[1].time, &s.operations->class[1].time);
    ck_assert_uint_eq(again.operations->errors, 2);
    ck_assert_int_eq(again.operations->error[1].code, 2006);
    ck_assert_uint_eq(again.qualities->count, 1);
    ck_assert_str_eq(again.qualities->quality[0].name, "recall");
    ck_assert_double_eq(again.qualities->quality[0].mean, -0.9);
    ck_assert_double_eq(again.qualities->quality[0].squares, 1.5);
    ck_assert_str_eq(again.targets->target[0].name, "select");
    check_same(&again.targets->target[0].metric[METRIC_FAILED],
               &s.targets->target[0].metric[METRIC_FAILED]);
    struct codec out_again = codec_writer(&b_again);
    codec_snapshot(&out_again, &again);
    check_same_bytes(&b, &b_again);
    bytes_fini(&b);
    bytes_fini(&b_again);
    snapshot_fini(&s);
    snapshot_fini(&again);
}
END_TEST

static void fill_result(struct result *r)
{
    *r = (struct result){.ending = {END_SIGNAL, true, false, 15}, .no_op_cause = strdup("why")};
    fill_snapshot(&r->total.snapshot, "a", "b");
    fill_snapshot(&r->part.snapshot, "c", "d");
    r->total.requests = (struct requests){10, 9, 8, 7, 6, 5, 4, 3, 11, {12, 13, 14, 15, 16.5}, 2.5};
    r->total.fairness = (struct fairness){1, 2, 3, 4};
    r->total.elapsed_ns = 77;
    for (int64_t ns = 0; ns < 20; ns++) {
        audit_begin(&r->audit, ns + 1);
        r->audit.windows[ns].response_sum_ns = (double)ns * 1.5;
        r->audit.windows[ns].asked = (double)ns * 0.5;
        r->audit.windows[ns].service_sum_ns = (double)ns;
        r->audit.windows[ns].served = r->audit.windows[ns].dropped = (uint64_t)ns;
    }
    r->audit.in_system = -3;
    r->evidence = (struct evidence){.goodness = 0.25, .gaps = 9, .steal = -1, .client_cpu = 0.5};
    r->outages =
        (struct outages){.list = xcalloc(1, sizeof(struct outage)), .count = 1, .sure_ns = -1};
    r->outages.list[0] = (struct outage){.host = "db1", .from_ns = 5, .level_ns = -1};
}

START_TEST(a_result_comes_back)
{
    struct result r, again = {0};
    struct bytes b = {0}, b_again = {0};
    fill_result(&r);
    struct codec out = codec_writer(&b);
    codec_result(&out, &r);

    snapshot_init(&again.total.snapshot);
    snapshot_init(&again.part.snapshot);
    struct codec in = codec_reader(b.data, b.count);
    codec_result(&in, &again);
    ck_assert(codec_done(&in));
    ck_assert_int_eq(again.ending.signal, 15);
    ck_assert_str_eq(again.part.no_op_cause, "why");
    ck_assert_uint_eq(again.audit.count, 20);
    ck_assert_double_eq(again.audit.windows[19].response_sum_ns, 28.5);
    ck_assert_double_eq(again.evidence.steal, -1);
    ck_assert_str_eq(again.outages.list[0].host, "db1");
    struct codec out_again = codec_writer(&b_again);
    codec_result(&out_again, &again);
    check_same_bytes(&b, &b_again);
    bytes_fini(&b);
    bytes_fini(&b_again);
    result_fini(&r);
    result_fini(&again);
}
END_TEST

START_TEST(settings_come_back)
{
    struct settings s = {.threads = 5,
                         .rate = 123.456,
                         .time_ns = 9,
                         .rank = rank_of(2, 3, 17),
                         .rand.seed = UINT64_MAX,
                         .percentile = {1, 2, 3},
                         .percentiles = 3},
                    again = {0};
    struct bytes b = {0};
    slo_parse(&s.slo, "p99<20ms,errors<=0.1%");
    struct codec out = codec_writer(&b);
    codec_settings(&out, &s);
    struct codec in = codec_reader(b.data, b.count);
    codec_settings(&in, &again);
    ck_assert(codec_done(&in));
    ck_assert_int_eq(again.rank.first_thread, 12);
    ck_assert_uint_eq(again.rand.seed, UINT64_MAX);
    ck_assert_double_eq(again.rate, 123.456);
    ck_assert_uint_eq(again.slo.count, 2);
    ck_assert_str_eq(again.slo.objective[1].text, s.slo.objective[1].text);
    ck_assert_int_eq(again.percentile[2], 3);
    bytes_fini(&b);
}
END_TEST

/* Truncated or modified bytes are either rejected or decoded as other values, but never cause
 * invalid memory accesses (checked by the sanitizers). */
START_TEST(broken_bytes_do_no_harm)
{
    struct snapshot s;
    struct bytes b = {0};
    fill_snapshot(&s, "select", "update");
    struct codec out = codec_writer(&b);
    codec_snapshot(&out, &s);
    for (unsigned i = 0; i < 400; i++) {
        struct snapshot again;
        snapshot_init(&again);
        const bool cut = i % 2 == 0;
        const size_t at = rand_stream_below(&stream, b.count);
        const uint8_t kept = b.data[at];
        b.data[at] = cut ? kept : (uint8_t)rand_stream_u64(&stream);
        struct codec in = codec_reader(b.data, cut ? at : b.count);
        codec_snapshot(&in, &again);
        ck_assert(!cut || in.failed);
        if (!in.failed)
            snapshot_reset(&again);
        snapshot_fini(&again);
        b.data[at] = kept;
    }
    bytes_fini(&b);
    snapshot_fini(&s);
}
END_TEST

/* The minimum and maximum determine the range of buckets. */
START_TEST(a_count_outside_of_the_extremes_is_refused)
{
    struct snapshot s, again;
    struct bytes b = {0};
    snapshot_init(&s);
    snapshot_init(&again);
    s.lag.count = 1;
    struct codec out = codec_writer(&b);
    codec_snapshot(&out, &s);
    struct codec in = codec_reader(b.data, b.count);
    codec_snapshot(&in, &again);
    ck_assert(in.failed);
    bytes_fini(&b);
    snapshot_fini(&again);
    snapshot_fini(&s);
}
END_TEST

/* The second snapshot has the same names, with other numbers. */
START_TEST(merging_goes_by_names)
{
    struct snapshot a, b;
    fill_snapshot(&a, "select", "update");
    fill_snapshot(&b, "update", "delete");
    add_target(b.targets, "select", 40);
    const uint64_t count = a.metric[METRIC_RESPONSE].count + b.metric[METRIC_RESPONSE].count;
    snapshot_merge(&a, &b);
    ck_assert_uint_eq(a.metric[METRIC_RESPONSE].count, count);
    ck_assert_uint_eq(a.operations->classes, 3);
    ck_assert_str_eq(a.operations->class[2].name, "delete");
    ck_assert_uint_eq(a.operations->class[0].count, 50);
    ck_assert_uint_eq(a.operations->class[1].count, 70 + 50);
    ck_assert_uint_eq(a.operations->class[2].count, 70);
    /* Error 1213 belongs to "update" in one snapshot and to "delete" in the other; 2006 has no
     * class. */
    ck_assert_uint_eq(a.operations->errors, 3);
    ck_assert_uint_eq(a.operations->error[1].count, 4);
    ck_assert_uint_eq(a.operations->error[2].class, 2);
    ck_assert_uint_eq(a.targets->count, 2);
    ck_assert_uint_eq(a.targets->target[0].counter[COUNTER_EVENT], 30 + 40);
    ck_assert_int_eq(a.targets->target[0].connections, 8);
    snapshot_reset(&a);
    ck_assert_int_eq(a.targets->target[0].connections, 0);
    snapshot_fini(&a);
    snapshot_fini(&b);
}
END_TEST

static void seed(void)
{
    rand_stream_init(&stream, 1, RAND_WORKLOAD, 0);
}

RUN_SUITE_WITH("record codec", 60, seed, NULL, a_snapshot_comes_back, a_result_comes_back,
               settings_come_back, broken_bytes_do_no_harm,
               a_count_outside_of_the_extremes_is_refused, merging_goes_by_names)
