/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <string.h>

#include "../suite.h"
#include "stats/operations.h"

static unsigned class_named(struct operations_thread *t, const char *name)
{
    return operations_class(t, name, strlen(name));
}

START_TEST(every_record_is_drained_once)
{
    struct operations *o = operations_create(2);
    struct operation_totals *totals = operation_totals_create();
    struct operations_thread t[2];
    operations_join(o, 0, &t[0]);
    operations_join(o, 1, &t[1]);
    unsigned read = class_named(&t[0], "read"), write = class_named(&t[1], "write");
    ck_assert_uint_eq(class_named(&t[1], "read"), read);
    operations_record(&t[0], read, 1000, 5, 0);
    operations_record(&t[1], read, 3000, 7, 0);
    operations_record(&t[1], write, 500, 2, 1);

    operations_drain(o, totals);
    ck_assert_uint_eq(totals->classes, 2);
    const struct operation_class *c = &totals->class[read];
    ck_assert_str_eq(c->name, "read");
    ck_assert_uint_eq(c->count, 2);
    ck_assert_uint_eq(c->matched, 12);
    ck_assert_uint_eq(c->time.count, 2);
    ck_assert_uint_eq(c->time.sum_ns, 4000);
    ck_assert_int_eq(c->time.min_ns, 1000);
    ck_assert_int_eq(c->time.max_ns, 3000);
    ck_assert_uint_eq(totals->class[write].changed, 1);

    operation_totals_reset(totals);
    operations_record(&t[0], read, 2000, 1, 0);
    operations_drain(o, totals);
    ck_assert_uint_eq(c->count, 1);
    ck_assert_int_eq(c->time.min_ns, 2000);
    ck_assert_int_eq(c->time.max_ns, 2000);
    ck_assert_uint_eq(totals->class[write].count, 0);
    operation_totals_destroy(totals);
    operations_destroy(o);
}
END_TEST

START_TEST(classes_without_room_share_the_last)
{
    struct operations *o = operations_create(1);
    struct operation_totals *totals = operation_totals_create();
    struct operations_thread t;
    operations_join(o, 0, &t);
    for (unsigned i = 0; i < OPERATION_CLASSES + 10; i++) {
        char name[32];
        snprintf(name, sizeof(name), "class %u", i);
        unsigned class = class_named(&t, name);
        ck_assert_uint_eq(class, i < OPERATION_CLASSES ? i : OPERATION_CLASSES - 1);
        operations_record(&t, class, 1, 0, 0);
    }
    operations_drain(o, totals);
    ck_assert_uint_eq(totals->classes, OPERATION_CLASSES);
    ck_assert_str_eq(totals->class[OPERATION_CLASSES - 2].name, "class 62");
    ck_assert_str_eq(totals->class[OPERATION_CLASSES - 1].name, "other");
    ck_assert_uint_eq(totals->class[OPERATION_CLASSES - 1].count, 11);
    operation_totals_destroy(totals);
    operations_destroy(o);
}
END_TEST

START_TEST(long_names_are_cut_and_still_found)
{
    struct operations *o = operations_create(1);
    struct operations_thread t;
    operations_join(o, 0, &t);
    char name[100];
    memset(name, 'x', sizeof(name));
    unsigned class = operations_class(&t, name, sizeof(name));
    ck_assert_uint_eq(operations_class(&t, name, sizeof(name)), class);
    ck_assert_uint_eq(operations_class(&t, name, OPERATION_NAME_BYTES - 1), class);
    ck_assert_uint_ne(operations_class(&t, name, OPERATION_NAME_BYTES - 2), class);
    operations_destroy(o);
}
END_TEST

START_TEST(errors_are_distinguished_by_class_code_and_state)
{
    struct operations *o = operations_create(1);
    struct operation_totals *totals = operation_totals_create();
    struct operations_thread t;
    operations_join(o, 0, &t);
    unsigned class = class_named(&t, "write");
    unsigned first = operations_error(&t, class, 1213, "40001", "Deadlock\nin two lines");
    ck_assert_uint_eq(operations_error(&t, class, 1213, "40001", "another text"), first);
    operations_ignored(&t, first);
    ck_assert_uint_ne(operations_error(&t, OPERATION_NO_CLASS, 1213, "40001", ""), first);
    ck_assert_uint_ne(operations_error(&t, class, 1213, "HY000", ""), first);
    ck_assert_uint_ne(operations_error(&t, class, 1205, "40001", ""), first);

    operations_drain(o, totals);
    ck_assert_uint_eq(totals->errors, 4);
    ck_assert_str_eq(totals->error[first].message, "Deadlock");
    ck_assert_uint_eq(totals->error[first].count, 2);
    ck_assert_uint_eq(totals->error[first].ignored, 1);
    ck_assert_uint_eq(totals->class[class].errors, 4);
    ck_assert_uint_eq(totals->class[class].count, 0);
    ck_assert(operation_error_same(&totals->error[0], &totals->error[1]));
    ck_assert(!operation_error_same(&totals->error[0], &totals->error[2]));
    operations_drain(o, totals);
    ck_assert_uint_eq(totals->error[first].count, 2);
    operation_totals_destroy(totals);
    operations_destroy(o);
}
END_TEST

START_TEST(no_error_is_lost_when_there_are_too_many_kinds)
{
    struct operations *o = operations_create(1);
    struct operation_totals *totals = operation_totals_create();
    struct operations_thread t;
    operations_join(o, 0, &t);
    for (int i = 1; i <= OPERATION_ERRORS + 50; i++)
        operations_error(&t, OPERATION_NO_CLASS, i, "", "text");
    operations_drain(o, totals);
    ck_assert_uint_eq(totals->errors, OPERATION_ERRORS);
    ck_assert_str_eq(totals->error[OPERATION_ERRORS - 1].message, "other errors");
    ck_assert_uint_eq(totals->error[OPERATION_ERRORS - 1].count, 51);
    operation_totals_destroy(totals);
    operations_destroy(o);
}
END_TEST

/* Returns the totals of a process with `count` classes and as many errors. Class i has the error i
 * + 1. */
static struct operation_totals *many_totals(const char *prefix, unsigned count)
{
    struct operation_totals *totals = operation_totals_create();
    struct operations *o = operations_create(1);
    struct operations_thread t;
    operations_join(o, 0, &t);
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "%s %u", prefix, i);
        const unsigned class = class_named(&t, name);
        operations_record(&t, class, 1, 0, 0);
        operations_error(&t, class, (int)i + 1, "40001", name);
    }
    operations_drain(o, totals);
    operations_destroy(o);
    return totals;
}

static void merge_away(struct operation_totals *dst, struct operation_totals *src)
{
    operation_totals_merge(dst, src);
    operation_totals_destroy(src);
}

static unsigned classes_called(const struct operation_totals *t, const char *name)
{
    unsigned found = 0;
    for (unsigned i = 0; i < t->classes; i++)
        found += strcmp(t->class[i].name, name) == 0;
    return found;
}

START_TEST(merged_classes_without_room_are_other)
{
    struct operation_totals *whole = operation_totals_create();
    merge_away(whole, many_totals("a", OPERATION_CLASSES - 10));
    merge_away(whole, many_totals("b", 20));
    const struct operation_class *last = &whole->class[OPERATION_CLASSES - 1];
    ck_assert_uint_eq(whole->classes, OPERATION_CLASSES);
    ck_assert_str_eq(last[-1].name, "b 8");
    ck_assert_str_eq(last->name, "other");
    ck_assert_uint_eq(last->count, 11);
    ck_assert_uint_eq(last->errors, 11);
    operation_totals_destroy(whole);
}
END_TEST

/* A process with too many classes of its own already has a class "other". */
START_TEST(merged_classes_have_one_other)
{
    struct operation_totals *whole = operation_totals_create();
    merge_away(whole, many_totals("a", OPERATION_CLASSES + 4));
    struct operation_totals *dst = operation_totals_create();
    merge_away(dst, many_totals("other", 1));
    strcpy(dst->class[0].name, "other");
    merge_away(dst, whole);
    merge_away(dst, many_totals("b", 2));
    /* The class "other" has its own operation, then 1 of "a 62", which has no room here, and 5 of
     * "other", then 2 of "b". */
    ck_assert_uint_eq(dst->classes, OPERATION_CLASSES - 1);
    ck_assert_uint_eq(classes_called(dst, "other"), 1);
    ck_assert_uint_eq(dst->class[0].count, 1 + (1 + 5) + 2);
    operation_totals_destroy(dst);
}
END_TEST

START_TEST(merged_errors_without_room_are_other_errors)
{
    struct operation_totals *whole = operation_totals_create();
    for (unsigned i = 0; i < OPERATION_ERRORS / 32 + 1; i++) {
        char prefix[16];
        snprintf(prefix, sizeof(prefix), "%u", i);
        struct operation_totals *part = many_totals(prefix, 32);
        for (unsigned k = 0; k < part->errors; k++)
            part->error[k].code += 32 * (int)i;
        merge_away(whole, part);
    }
    const struct operation_error *last = &whole->error[OPERATION_ERRORS - 1];
    ck_assert_uint_eq(whole->errors, OPERATION_ERRORS);
    ck_assert_int_eq(last[-1].code, OPERATION_ERRORS - 1);
    ck_assert_str_eq(last->message, "other errors");
    ck_assert_str_eq(last->state, "");
    ck_assert_int_eq(last->code, 0);
    ck_assert_uint_eq(last->class, OPERATION_NO_CLASS);
    ck_assert_uint_eq(last->count, 33);
    operation_totals_destroy(whole);
}
END_TEST

#define THREADS 12
#define EVENTS 20000

static struct operations *shared;
static atomic_uint threads_left;

/* At first, the threads know the classes by different numbers. All threads record one value per
 * class and round. */
static void *record(void *arg)
{
    struct operations_thread t;
    operations_join(shared, (unsigned)(uintptr_t)arg, &t);
    for (int i = 0; i < EVENTS; i++)
        for (unsigned k = 0; k < 3; k++) {
            static const char *const name[] = {"a", "b", "c"};
            unsigned class = class_named(&t, name[(k + t.thread) % 3]);
            operations_record(&t, class, i + 1, 1, 0);
            if (i % 1000 == 0)
                operations_ignored(&t, operations_error(&t, class, 7, "", ""));
        }
    atomic_fetch_sub(&threads_left, 1);
    return NULL;
}

START_TEST(drains_under_load_add_up_to_the_whole)
{
    struct operation_totals *part = operation_totals_create(), *total = operation_totals_create();
    pthread_t threads[THREADS];
    shared = operations_create(THREADS);
    atomic_store(&threads_left, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record, (void *)i);
    bool more = true;
    while (more) {
        more = atomic_load(&threads_left) > 0;
        operation_totals_reset(part);
        operations_drain(shared, part);
        operation_totals_add(total, part);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    ck_assert_uint_eq(total->classes, 3);
    uint64_t events = (uint64_t)THREADS * EVENTS, errors = 0;
    for (unsigned i = 0; i < 3; i++) {
        const struct operation_class *c = &total->class[i];
        ck_assert_uint_eq(c->count, events);
        ck_assert_uint_eq(c->matched, events);
        ck_assert_uint_eq(c->time.count, events);
        ck_assert_uint_eq(c->time.sum_ns, events * (EVENTS + 1) / 2);
        ck_assert_int_eq(c->time.min_ns, 1);
        ck_assert_int_eq(c->time.max_ns, EVENTS);
        errors += total->error[i].count;
        ck_assert_uint_eq(total->error[i].count, total->error[i].ignored);
    }
    ck_assert_uint_eq(errors, 3 * THREADS * EVENTS / 1000);
    operation_totals_destroy(part);
    operation_totals_destroy(total);
    operations_destroy(shared);
}
END_TEST

RUN_SUITE("operations", 60, every_record_is_drained_once, classes_without_room_share_the_last,
          long_names_are_cut_and_still_found, errors_are_distinguished_by_class_code_and_state,
          no_error_is_lost_when_there_are_too_many_kinds, merged_classes_without_room_are_other,
          merged_classes_have_one_other, merged_errors_without_room_are_other_errors,
          drains_under_load_add_up_to_the_whole)
