/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "../suite.h"
#include "stats/registry.h"

#define NAME_BYTES 16

static struct registry registry;
static unsigned added;

static void count_added(void *owner, unsigned number)
{
    ck_assert_ptr_eq(owner, &added);
    ck_assert_uint_eq(number, added);
    added++;
}

static void *make_cell(void *owner, unsigned thread, unsigned number)
{
    ck_assert_ptr_eq(owner, &added);
    unsigned *cell = xcalloc(1, sizeof(*cell));
    *cell = 1000 * thread + number;
    return cell;
}

static const struct registry_ops ops = {NAME_BYTES, count_added, make_cell};

static void begin(void)
{
    added = 0;
    registry_init(&registry, &ops, &added, 2);
}

static void end(void)
{
    registry_fini(&registry);
}

static unsigned number_of(const char *name)
{
    return registry_find(&registry, name, strlen(name));
}

static void use_up(void)
{
    while (registry_count(&registry) < REGISTRY_NAMES) {
        unsigned next = registry_count(&registry);
        char name[NAME_BYTES];
        snprintf(name, sizeof(name), "name %u", next);
        ck_assert_uint_eq(number_of(name), next);
    }
}

START_TEST(names_keep_their_numbers)
{
    ck_assert_uint_eq(registry_count(&registry), 0);
    ck_assert_uint_eq(number_of("a"), 0);
    ck_assert_uint_eq(number_of("ab"), 1);
    ck_assert_uint_eq(number_of(""), 2);
    ck_assert_uint_eq(registry_find(&registry, "abc", 2), 1);
    ck_assert_uint_eq(number_of("a"), 0);
    ck_assert_uint_eq(registry_count(&registry), 3);
    ck_assert_uint_eq(added, 3);
    ck_assert_str_eq(registry_name(&registry, 1), "ab");
}
END_TEST

START_TEST(long_names_are_cut_and_still_found)
{
    ck_assert_uint_eq(number_of("0123456789abcdefgh"), 0);
    ck_assert_uint_eq(number_of("0123456789abcdeX"), 0);
    ck_assert_uint_eq(number_of("0123456789abcd"), 1);
    ck_assert_str_eq(registry_name(&registry, 0), "0123456789abcde");
}
END_TEST

START_TEST(names_without_room_share_the_last_number)
{
    use_up();
    ck_assert_uint_eq(number_of("one more"), REGISTRY_NAMES - 1);
    ck_assert_uint_eq(number_of("other"), REGISTRY_NAMES - 1);
    ck_assert_uint_eq(number_of("name 62"), 62);
    ck_assert_uint_eq(registry_count(&registry), REGISTRY_NAMES);
    ck_assert_str_eq(registry_name(&registry, REGISTRY_NAMES - 1), "other");
    ck_assert_uint_eq(added, REGISTRY_NAMES);
}
END_TEST

/* The test holds the lock, so a function that takes it would never return. */
START_TEST(known_names_and_names_without_room_take_no_lock)
{
    number_of("known");
    pthread_mutex_lock(&registry.lock);
    ck_assert_uint_eq(number_of("known"), 0);
    pthread_mutex_unlock(&registry.lock);
    use_up();
    pthread_mutex_lock(&registry.lock);
    ck_assert_uint_eq(number_of("one more"), REGISTRY_NAMES - 1);
    pthread_mutex_unlock(&registry.lock);
}
END_TEST

START_TEST(each_thread_has_a_cell_of_each_name)
{
    number_of("a");
    number_of("b");
    ck_assert_ptr_null(registry_peek(&registry, 1, 1));
    unsigned *cell = registry_cell(&registry, 1, 1);
    ck_assert_uint_eq(*cell, 1001);
    ck_assert_ptr_eq(registry_cell(&registry, 1, 1), cell);
    ck_assert_ptr_eq(registry_peek(&registry, 1, 1), cell);
    ck_assert_ptr_null(registry_peek(&registry, 1, 0));
    ck_assert_ptr_null(registry_peek(&registry, 0, 1));
    ck_assert_uint_eq(*(unsigned *)registry_cell(&registry, 0, 1), 1);
}
END_TEST

RUN_SUITE_WITH("registry", 10, begin, end, names_keep_their_numbers,
               long_names_are_cut_and_still_found, names_without_room_share_the_last_number,
               known_names_and_names_without_room_take_no_lock, each_thread_has_a_cell_of_each_name)
