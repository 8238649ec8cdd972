/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/sample_codec.h"

#include <string.h>

#include "../suite.h"
#include "base/rand_stream.h"
#include "base/util.h"

#define BUCKET 40

/* Returns a record with one request of 100 ms that has waited for a row which the session `blocker`
 * held, for the whole time. The worker of this rank had the session `own`. */
static struct wait_record *record_of(uint64_t own, uint64_t blocker)
{
    struct wait_record *r = wait_record_create();
    struct wait_session session = {.id = blocker, .program = "sysrate", .user = "sbtest"};
    const unsigned by = wait_names_stranger(&r->names, &session);
    const unsigned label = wait_names_label(&r->names, "Lock:row");
    const struct wait_detail detail = {.label = label, .object = "accounts", .blocker = by};
    const unsigned number = wait_names_detail(&r->names, &detail);
    const struct wait_blocker seen = {by - WAIT_BY_STRANGER, {blocker, 0}, 1e8};
    const struct wait_cell cell = {30, 1e8, 1e16, 1e16};
    wait_record_note_own(r, (struct wait_key){own, 0});
    wait_record_note_blocker(r, &seen);
    r->per_second = 5;
    r->statements = 3;
    r->elapsed_s = 2;
    r->notes = 1;
    snprintf(r->note[0], sizeof(r->note[0]), "a note");
    r->totals.bucket[BUCKET] = (struct wait_bucket){.requests = 1,
                                                    .service_ns = 1e8,
                                                    .sampled = 1,
                                                    .samples = 30,
                                                    .weight = 1e8,
                                                    .squares = 1e16};
    r->totals.cell[BUCKET][label] = r->totals.cell[BUCKET][WAIT_LABEL_LOCKS] = cell;
    r->totals.detail[BUCKET][number] = 1e8;
    r->totals.taken = 30;
    return r;
}

static double weight_by(const struct wait_record *r, unsigned blocker)
{
    double weight = 0;
    for (unsigned i = 1; i < r->names.details; i++)
        if (r->names.detail[i].blocker == blocker)
            weight += r->totals.detail[BUCKET][i];
    return weight;
}

static struct wait_record *merged(struct wait_record *const *ranks, unsigned count)
{
    struct wait_record *whole = wait_record_create();
    struct wait_map map;
    for (unsigned i = 0; i < count; i++)
        wait_record_merge(whole, ranks[i], ranks, count, &map);
    return whole;
}

/* Session 1 belongs to the first rank, 2 to the second, 9 to neither. */
START_TEST(sessions_of_other_ranks_belong_to_the_run)
{
    struct wait_record *ranks[] = {record_of(1, 2), record_of(2, 9)};
    struct wait_record *whole = merged(ranks, 2);
    ck_assert_double_eq_tol(weight_by(whole, WAIT_BY_RUN), 1e8, 1);
    ck_assert_double_eq_tol(weight_by(whole, WAIT_BY_STRANGER), 1e8, 1);
    ck_assert_uint_eq(whole->names.strangers, 1);
    ck_assert_uint_eq(whole->names.stranger[0].session, 9);
    ck_assert_uint_eq(whole->totals.bucket[BUCKET].requests, 2);
    ck_assert_uint_eq(whole->totals.taken, 60);
    ck_assert_uint_eq(whole->statements, 6);
    ck_assert_uint_eq(whole->notes, 1);
    ck_assert_double_eq(whole->per_second, 10);
    ck_assert_double_eq(whole->elapsed_s, 2);
    wait_record_free(whole);
    wait_record_free(ranks[0]);
    wait_record_free(ranks[1]);
}
END_TEST

/* One stranger describes two sessions, of which one is of another rank and has half of the weight.
 */
START_TEST(a_stranger_may_be_of_the_run_in_part)
{
    struct wait_record *ranks[] = {record_of(1, 2), record_of(2, 1)};
    const struct wait_blocker other = {0, {9, 0}, 1e8};
    wait_record_note_blocker(ranks[0], &other);
    wait_record_note_blocker(ranks[1], &(struct wait_blocker){0, {1, 0}, 5e7});
    ck_assert_uint_eq(ranks[1]->blockers, 1);
    struct wait_record *whole = merged(ranks, 2);
    ck_assert_double_eq_tol(weight_by(whole, WAIT_BY_RUN), 1.5e8, 1);
    ck_assert_double_eq_tol(weight_by(whole, WAIT_BY_STRANGER), 0.5e8, 1);
    wait_record_free(whole);
    wait_record_free(ranks[0]);
    wait_record_free(ranks[1]);
}
END_TEST

/* The second record has its labels in another order. */
START_TEST(labels_are_matched_by_name)
{
    struct wait_record *ranks[] = {record_of(1, 9), wait_record_create()};
    const unsigned io = wait_names_label(&ranks[1]->names, "IO");
    const unsigned row = wait_names_label(&ranks[1]->names, "Lock:row");
    ranks[1]->totals.cell[BUCKET][io].weight = 7;
    ranks[1]->totals.cell[BUCKET][row].weight = 5;
    struct wait_record *whole = merged(ranks, 2);
    ck_assert_double_eq(
        whole->totals.cell[BUCKET][wait_names_label(&whole->names, "Lock:row")].weight, 1e8 + 5);
    ck_assert_double_eq(whole->totals.cell[BUCKET][wait_names_label(&whole->names, "IO")].weight,
                        7);
    wait_record_free(whole);
    wait_record_free(ranks[0]);
    wait_record_free(ranks[1]);
}
END_TEST

static void encode(struct bytes *to, struct wait_record *record, struct slow_requests *slow)
{
    struct codec c = codec_writer(to);
    codec_wait_record(&c, &record);
    codec_slow_requests(&c, &slow);
}

static struct slow_requests *slow_of(const char *class, int64_t start_ns, int64_t response_ns)
{
    struct slow_requests *slow = xcalloc(1, sizeof(*slow));
    slow->asked = 2;
    slow->run_start_ns = start_ns;
    slow->classes = (struct slow_names){xcalloc(1, sizeof(char *)), 1};
    slow->classes.name[0] = xstrdup(class);
    slow->kept = (struct exemplar_list){NS_PER_SEC, 1, 1, xcalloc(2, sizeof(struct exemplar))};
    for (unsigned i = 0; i < 2; i++) {
        struct exemplar *e = &slow->kept.list[i];
        *e = (struct exemplar){.arrival_ns = start_ns + 5,
                               .start_ns = start_ns + 5,
                               .end_ns = start_ns + 5 + response_ns / (i + 1),
                               .type = -1,
                               .steps = 1,
                               .waits = 1,
                               .weight_ns = 1};
        e->step[0] = (struct exemplar_step){.start_ns = start_ns + 6,
                                            .duration_ns = 3,
                                            .target = EXEMPLAR_NO_TARGET,
                                            .state = "40001"};
        e->wait[0].number = WAIT_LABEL_CPU;
    }
    return slow;
}

START_TEST(records_and_requests_come_back)
{
    struct wait_record *record = record_of(1, 2), *again = NULL;
    struct slow_requests *slow = slow_of("select", 1000, 50), *slow_again = NULL;
    struct bytes b = {0}, b_again = {0};
    encode(&b, record, slow);
    struct codec in = codec_reader(b.data, b.count);
    codec_wait_record(&in, &again);
    codec_slow_requests(&in, &slow_again);
    ck_assert(codec_done(&in));
    ck_assert_str_eq(again->note[0], "a note");
    ck_assert(wait_record_owns(again, (struct wait_key){1, 0}));
    ck_assert_uint_eq(again->blocker[0].key.session, 2);
    ck_assert_int_eq(memcmp(&again->totals, &record->totals, sizeof(record->totals)), 0);
    ck_assert_str_eq(slow_request_class(slow_again, &slow_again->kept.list[0].step[0]), "select");
    ck_assert_ptr_null(slow_request_host(slow_again, &slow_again->kept.list[0].step[0]));
    encode(&b_again, again, slow_again);
    ck_assert_uint_eq(b.count, b_again.count);
    ck_assert_int_eq(memcmp(b.data, b_again.data, b.count), 0);
    bytes_fini(&b);
    bytes_fini(&b_again);
    wait_record_free(record);
    wait_record_free(again);
    slow_requests_free(slow);
    slow_requests_free(slow_again);
}
END_TEST

/* The sanitizers find invalid accesses. */
START_TEST(broken_bytes_do_no_harm)
{
    struct rand_stream stream;
    struct bytes b = {0};
    struct wait_record *record = record_of(1, 2);
    struct slow_requests *slow = slow_of("select", 1000, 50);
    rand_stream_init(&stream, 1, RAND_WORKLOAD, 0);
    encode(&b, record, slow);
    for (unsigned i = 0; i < 400; i++) {
        struct wait_record *again = NULL;
        struct slow_requests *slow_again = NULL;
        const bool cut = i % 2 == 0;
        const size_t at = rand_stream_below(&stream, b.count);
        const uint8_t kept = b.data[at];
        b.data[at] = cut ? kept : (uint8_t)rand_stream_u64(&stream);
        struct codec in = codec_reader(b.data, cut ? at : b.count);
        codec_wait_record(&in, &again);
        codec_slow_requests(&in, &slow_again);
        ck_assert(!cut || in.failed);
        wait_record_free(again);
        slow_requests_free(slow_again);
        b.data[at] = kept;
    }
    bytes_fini(&b);
    wait_record_free(record);
    slow_requests_free(slow);
}
END_TEST

/* The clocks of the ranks differ; times count from the start of the run. */
START_TEST(the_slowest_requests_of_all_ranks_are_kept)
{
    struct slow_requests *whole = xcalloc(1, sizeof(*whole));
    struct slow_requests *ranks[] = {slow_of("select", 1000, 50), slow_of("update", 7000, 90),
                                     slow_of("select", 0, 70)};
    struct wait_map map = {.label[WAIT_LABEL_CPU] = 9};
    for (unsigned i = 0; i < 3; i++) {
        slow_requests_merge(whole, ranks[i], &map);
        slow_requests_free(ranks[i]);
    }
    ck_assert_uint_eq(whole->kept.slowest, 2);
    ck_assert_uint_eq(whole->kept.others, 4);
    ck_assert_int_eq(whole->kept.list[0].end_ns, 95);
    ck_assert_int_eq(whole->kept.list[0].step[0].start_ns, 6);
    ck_assert_uint_eq(whole->kept.list[0].wait[0].number, 9);
    ck_assert_str_eq(slow_request_class(whole, &whole->kept.list[0].step[0]), "update");
    ck_assert_int_eq(whole->kept.list[1].end_ns, 75);
    ck_assert_int_eq(whole->kept.list[2].end_ns, 30);
    ck_assert_int_eq(whole->kept.list[4].end_ns, 50);
    ck_assert_uint_eq(whole->classes.count, 2);
    slow_requests_free(whole);
}
END_TEST

RUN_SUITE("sample codec", 60, sessions_of_other_ranks_belong_to_the_run,
          a_stranger_may_be_of_the_run_in_part, labels_are_matched_by_name,
          records_and_requests_come_back, broken_bytes_do_no_harm,
          the_slowest_requests_of_all_ranks_are_kept)
