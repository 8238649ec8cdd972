/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/slow/exemplars.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "stats/waits.h"

#define SPAN_NS NS_PER_MS

/* The request in service of worker 0; start_ns is 0 if the worker is idle. */
static struct {
    int64_t arrival_ns, start_ns;
} now;

static bool serving(void *arg, unsigned worker, int64_t *arrival_ns, int64_t *start_ns)
{
    (void)arg;
    *arrival_ns = now.arrival_ns;
    *start_ns = now.start_ns;
    return worker == 0 && now.start_ns != 0;
}

static struct exemplars *ex;

static void create(unsigned limit, uint64_t seed)
{
    ex = exemplars_create(1, limit, SPAN_NS, seed);
    exemplars_begin(ex, 0, serving, NULL);
    now.start_ns = 0;
}

/* A request that ends at `end_ns`. Different requests must have different ends. */
static void end(int64_t end_ns, int64_t response_ns)
{
    struct exemplar e = {
        .arrival_ns = end_ns - response_ns, .start_ns = end_ns - response_ns, .end_ns = end_ns};
    double number;
    if (exemplars_wants(ex, 0, end_ns, response_ns, &number))
        exemplars_keep(ex, &e, number);
}

START_TEST(the_slowest_requests_are_kept)
{
    create(3, 1);
    for (int64_t i = 0; i < 101; i++)
        end(10 * SPAN_NS + i, 1000 + i * 37 % 101);
    const struct exemplar_list all = exemplars_list(ex);
    ck_assert_uint_eq(all.slowest, 3);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(all.list[i].end_ns - all.list[i].arrival_ns, 1100 - i);
    ck_assert_uint_le(all.others, EXEMPLARS_DRAWN);
    free(all.list);
    exemplars_destroy(ex);
}
END_TEST

START_TEST(each_span_keeps_its_slowest_request)
{
    create(1, 1);
    for (int64_t i = 0; i < 5000; i++)
        end(i * SPAN_NS / 50, i % 50 == 17 ? 900 : 800);
    const struct exemplar_list all = exemplars_list(ex);
    unsigned found = 0;
    for (unsigned i = 0; i < all.slowest + all.others; i++)
        found += all.list[i].end_ns - all.list[i].arrival_ns == 900;
    ck_assert_uint_ge(found, 100);
    ck_assert_uint_le(all.others, 100 * (1 + EXEMPLARS_DRAWN));
    free(all.list);
    exemplars_destroy(ex);
}
END_TEST

/*
 * All requests have the same response time. So the first request of a span is its slowest one, and
 * a later one is kept only if it is drawn. With n spans of m requests, the number of spans that
 * keep the request at a position is binomial with p = EXEMPLARS_DRAWN / m. If the 2 · m deviations
 * are all below five standard deviations with a probability of 1 - 2 m · 3e-7, the test fails by
 * chance in fewer than 1 of 10 000 seeds.
 */
#define PER_SPAN 20

static unsigned kept[PER_SPAN];

static void assert_uniform(unsigned spans)
{
    const double p = (double)EXEMPLARS_DRAWN / PER_SPAN, mean = spans * p;
    for (unsigned i = 1; i < PER_SPAN; i++) {
        const double deviation = kept[i] - mean;
        ck_assert_msg(deviation * deviation < 25 * spans * p * (1 - p),
                      "position %u: %u of %u spans, %.1f expected", i, kept[i], spans, mean);
    }
}

/* Simulates 40 runs with `spans` spans of `per_span` requests each, PER_SPAN requests in each span
 * that is kept, and counts the positions. */
static void draw(unsigned spans, unsigned per_span)
{
    memset(kept, 0, sizeof(kept));
    for (uint64_t seed = 1; seed <= 40; seed++) {
        create(1, seed);
        for (unsigned i = 0; i < spans * per_span; i++)
            end(1 + i * (SPAN_NS / per_span), 0);
        const struct exemplar_list all = exemplars_list(ex);
        ck_assert_int_eq(all.span_ns, SPAN_NS * (PER_SPAN / per_span));
        for (unsigned i = all.slowest; i < all.slowest + all.others; i++)
            kept[(all.list[i].end_ns - 1) / (SPAN_NS / per_span) % PER_SPAN]++;
        free(all.list);
        exemplars_destroy(ex);
    }
}

START_TEST(each_request_of_a_span_is_kept_with_the_same_probability)
{
    draw(200, PER_SPAN);
    assert_uniform(40 * 200);
}
END_TEST

START_TEST(also_if_spans_were_merged)
{
    draw(4 * EXEMPLAR_SPANS, PER_SPAN / 4);
    assert_uniform(40 * EXEMPLAR_SPANS);
}
END_TEST

/* Steps. */

static void step(unsigned class, int64_t from_ns, int64_t to_ns)
{
    exemplars_begin_step(ex, 0, class, EXEMPLAR_NO_TARGET, from_ns);
    exemplars_end_step(ex, 0, to_ns, 7, 0, NULL);
}

static struct exemplar finish(int64_t end_ns)
{
    struct exemplar e = {.arrival_ns = now.arrival_ns, .start_ns = now.start_ns, .end_ns = end_ns};
    exemplars_keep(ex, &e, 0.5);
    return e;
}

START_TEST(steps_belong_to_the_request_in_service)
{
    create(1, 1);
    step(0, 10, 20); /* before the first request */
    now.arrival_ns = now.start_ns = 100;
    step(1, 110, 120);
    exemplars_begin_step(ex, 0, 2, 5, 130);
    exemplars_end_step(ex, 0, 170, 0, 1213, "40001");
    exemplars_retry(ex, 0);
    exemplars_begin_step(ex, 0, 3, EXEMPLAR_NO_TARGET, 180);
    struct exemplar e = finish(200);
    ck_assert_uint_eq(e.steps, 3);
    ck_assert_uint_eq(e.retries, 1);
    ck_assert_uint_eq(e.step[0].class, 1);
    ck_assert_int_eq(e.step[0].duration_ns, 10);
    ck_assert_uint_eq(e.step[0].rows, 7);
    ck_assert(!e.step[0].failed && e.step[1].failed);
    ck_assert_int_eq(e.step[1].code, 1213);
    ck_assert_str_eq(e.step[1].state, "40001");
    ck_assert_uint_eq(e.step[1].target, 5);
    ck_assert_int_eq(e.step[2].duration_ns, -1);

    now.arrival_ns = now.start_ns = 300;
    e = finish(310);
    ck_assert_uint_eq(e.steps, 0);
    ck_assert_uint_eq(e.retries, 0);
    exemplars_destroy(ex);
}
END_TEST

START_TEST(the_shortest_steps_are_left_out)
{
    create(1, 1);
    now.arrival_ns = now.start_ns = 1000;
    for (unsigned i = 0; i < 2 * EXEMPLAR_STEPS; i++)
        step(i, 1000 + i * 100, 1000 + i * 100 + (i % 2 == 0 ? 50 : 10));
    step(99, 9000, 9001);
    const struct exemplar e = finish(9100);
    ck_assert_uint_eq(e.steps, EXEMPLAR_STEPS);
    ck_assert_uint_eq(e.left_out, EXEMPLAR_STEPS + 1);
    for (unsigned i = 1; i < e.steps; i++)
        ck_assert_int_gt(e.step[i].start_ns, e.step[i - 1].start_ns);
    unsigned longer = 0;
    for (unsigned i = 0; i < e.steps; i++)
        longer += e.step[i].duration_ns == 50;
    ck_assert_uint_ge(longer, EXEMPLAR_STEPS - 1);
    exemplars_destroy(ex);
}
END_TEST

START_TEST(an_open_step_ends_with_its_request)
{
    create(1, 1);
    now.arrival_ns = now.start_ns = 100;
    exemplars_begin_step(ex, 0, 1, EXEMPLAR_NO_TARGET, 110);
    now.arrival_ns = now.start_ns = 200;
    exemplars_end_step(ex, 0, 210, 7, 0, NULL);
    ck_assert_uint_eq(finish(220).steps, 0);
    exemplars_begin_step(ex, 0, 2, EXEMPLAR_NO_TARGET, 230);
    now.arrival_ns = now.start_ns = 300;
    step(3, 310, 320);
    const struct exemplar e = finish(330);
    ck_assert_uint_eq(e.steps, 1);
    ck_assert_uint_eq(e.step[0].class, 3);
    exemplars_destroy(ex);
}
END_TEST

START_TEST(a_step_replaces_an_open_one)
{
    create(1, 1);
    now.arrival_ns = now.start_ns = 1000;
    for (unsigned i = 0; i < EXEMPLAR_STEPS; i++)
        step(i, 1000 + i * 10, 1005 + i * 10);
    exemplars_begin_step(ex, 0, 50, EXEMPLAR_NO_TARGET, 2000);
    exemplars_begin_step(ex, 0, 51, EXEMPLAR_NO_TARGET, 2010);
    struct exemplar e = finish(2020);
    ck_assert_uint_eq(e.steps, EXEMPLAR_STEPS);
    ck_assert_uint_eq(e.left_out, 1);
    ck_assert_uint_eq(e.step[EXEMPLAR_STEPS - 1].class, 51);
    ck_assert_int_eq(e.step[EXEMPLAR_STEPS - 1].duration_ns, -1);
    exemplars_end_step(ex, 0, 2110, 7, 0, NULL);
    exemplars_end_step(ex, 0, 2500, 7, 0, NULL); /* no step is open */
    e = finish(2600);
    ck_assert_int_eq(e.step[EXEMPLAR_STEPS - 1].duration_ns, 100);
    exemplars_destroy(ex);
}
END_TEST

/* A thread records requests while the test copies their steps. All figures of a step follow from
 * its start, and steps start 1 ns apart, so a copy that mixes two moments is noticed. */

#define COPIES 50000
#define STEPS_RECORDED (EXEMPLAR_STEPS + 8)
#define REQUEST_NS 1000

static _Atomic int64_t in_service_ns;
static _Atomic bool over;

static void *record_requests(void *unused)
{
    (void)unused;
    for (int64_t start_ns = REQUEST_NS; !over; start_ns += REQUEST_NS) {
        now.arrival_ns = now.start_ns = start_ns;
        in_service_ns = start_ns;
        for (int64_t at_ns = start_ns; at_ns < start_ns + STEPS_RECORDED; at_ns++) {
            exemplars_begin_step(ex, 0, (unsigned)(at_ns % 60000), 0, at_ns);
            exemplars_end_step(ex, 0, at_ns + 10 + at_ns % 7, (uint64_t)at_ns * 3, (int)(at_ns % 9),
                               at_ns % 2 == 0 ? "40001" : NULL);
            sched_yield();
        }
    }
    return NULL;
}

static bool is_whole(const struct exemplar_step *step)
{
    const int64_t at_ns = step->start_ns;
    if (step->class != at_ns % 60000)
        return false;
    if (step->duration_ns < 0)
        return step->rows == 0 && step->code == 0 && !step->failed;
    return step->duration_ns == 10 + at_ns % 7 && step->rows == (uint64_t)at_ns * 3 &&
           step->code == at_ns % 9 && step->failed == (at_ns % 2 == 0) &&
           strcmp(step->state, step->failed ? "40001" : "") == 0;
}

START_TEST(steps_are_copied_while_the_worker_records_them)
{
    pthread_t thread;
    unsigned copies = 0;
    create(1, 1);
    in_service_ns = 0;
    over = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, record_requests, NULL), 0);
    while (copies < COPIES) {
        struct exemplar e = {.start_ns = in_service_ns};
        e.end_ns = e.start_ns + 1;
        exemplars_keep(ex, &e, 1);
        for (unsigned i = 0; i < e.steps; i++)
            ck_assert(is_whole(&e.step[i]));
        if (e.steps == 0) /* the next request has begun */
            continue;
        ck_assert_int_eq(e.step[e.steps - 1].start_ns - e.start_ns + 1, e.steps + e.left_out);
        copies++;
    }
    over = true;
    pthread_join(thread, NULL);
    exemplars_destroy(ex);
}
END_TEST

/* The parts of the response time and the samples are those of stats/waits.h. */

START_TEST(samples_are_kept_with_their_request)
{
    create(1, 1);
    struct waits *waits = waits_create(1);
    waits_set_serving(waits, serving, NULL);
    waits_set_exemplars(waits, ex);
    now.arrival_ns = 100;
    now.start_ns = 150;
    struct wait_sample s = {.at_ns = 200, .group = WAIT_NO_GROUP, .label = 3, .weight_ns = 10};
    waits_sample(waits, 0, &s);
    s.label = 9;
    s.detail = 4;
    s.weight_ns = 30;
    waits_sample(waits, 0, &s);
    struct wait_request r = {.arrival_ns = 100, .start_ns = 150, .end_ns = 300, .before_ns = 140};
    waits_end(waits, 0, &r); /* in the warm-up */
    r = (struct wait_request){.arrival_ns = 100,
                              .start_ns = 150,
                              .end_ns = 300,
                              .before_ns = 140,
                              .measured = true,
                              .outcome = EXEMPLAR_FAILED,
                              .type = 2};
    now.start_ns = 350;
    now.arrival_ns = r.arrival_ns = 310;
    r.start_ns = 350;
    r.end_ns = 500;
    r.before_ns = 340;
    s.at_ns = 400;
    waits_sample(waits, 0, &s);
    s.label = 3;
    s.weight_ns = 10;
    waits_sample(waits, 0, &s);
    waits_end(waits, 0, &r);
    const struct exemplar_list all = exemplars_list(ex); /* not the request of the warm-up */
    ck_assert_uint_eq(all.slowest + all.others, 1);
    const struct exemplar *e = &all.list[0];
    ck_assert_int_eq(e->queued_ns, 30);
    ck_assert_int_eq(e->late_ns, 10);
    ck_assert_int_eq(e->outcome, EXEMPLAR_FAILED);
    ck_assert_int_eq(e->type, 2);
    ck_assert_uint_eq(e->waits, 2);
    ck_assert_uint_eq(e->wait[0].number, 9);
    ck_assert_double_eq(e->wait[0].weight_ns, 30);
    ck_assert_double_eq(e->weight_ns, 40);
    ck_assert_uint_eq(e->detail[0].number, 4);
    free(all.list);
    waits_destroy(waits);
    exemplars_destroy(ex);
}
END_TEST

RUN_SUITE("exemplars", 60, the_slowest_requests_are_kept, each_span_keeps_its_slowest_request,
          each_request_of_a_span_is_kept_with_the_same_probability, also_if_spans_were_merged,
          steps_belong_to_the_request_in_service, the_shortest_steps_are_left_out,
          an_open_step_ends_with_its_request, a_step_replaces_an_open_one,
          steps_are_copied_while_the_worker_records_them, samples_are_kept_with_their_request)
