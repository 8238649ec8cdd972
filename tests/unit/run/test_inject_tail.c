/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inject_tail.h"

#include <string.h>

#include "../suite.h"

static struct inject_tail tail;

static void before(void)
{
    tail = (struct inject_tail){0};
}

static void add(const char *text)
{
    inject_tail_add(&tail, text, strlen(text));
}

static void assert_text(const char *expected)
{
    char *text = inject_tail_text(&tail);
    ck_assert_str_eq(text, expected);
    free(text);
}

/* Adds `count` times "0123456789". */
static void add_tens(int count)
{
    for (int i = 0; i < count; i++)
        add("0123456789");
}

START_TEST(a_short_text_is_kept_completely)
{
    assert_text("");
    add("one\n");
    add("two\n");
    assert_text("one\ntwo\n");
    ck_assert_uint_eq(tail.bytes, 8);
}
END_TEST

START_TEST(the_end_of_many_pieces_is_kept)
{
    add_tens(100000);
    ck_assert_uint_eq(tail.bytes, 1000000);
    char *text = inject_tail_text(&tail);
    ck_assert_uint_eq(strlen(text), INJECT_TAIL_BYTES);
    for (size_t i = 0; i < INJECT_TAIL_BYTES; i++)
        ck_assert_int_eq(text[INJECT_TAIL_BYTES - 1 - i], '9' - (int)(i % 10));
    free(text);
}
END_TEST

START_TEST(the_end_of_one_long_piece_is_kept)
{
    static char piece[5 * INJECT_TAIL_BYTES];
    memset(piece, 'a', sizeof(piece));
    memset(piece + sizeof(piece) - INJECT_TAIL_BYTES, 'b', INJECT_TAIL_BYTES);
    add("before");
    inject_tail_add(&tail, piece, sizeof(piece));
    char *text = inject_tail_text(&tail);
    ck_assert_uint_eq(strspn(text, "b"), INJECT_TAIL_BYTES);
    free(text);
}
END_TEST

/* The kept end begins with the second byte of an ä, which is left out. */
START_TEST(a_cut_character_is_left_out)
{
    add("x");
    for (int i = 0; i < INJECT_TAIL_BYTES / 2; i++)
        add("ä");
    add("z");
    char *text = inject_tail_text(&tail);
    ck_assert_uint_eq(strlen(text), INJECT_TAIL_BYTES - 1);
    ck_assert_int_eq(strncmp(text, "ä", strlen("ä")), 0);
    free(text);
}
END_TEST

START_TEST(a_nul_becomes_a_space)
{
    inject_tail_add(&tail, "a\0b", 3);
    assert_text("a b");
}
END_TEST

RUN_SUITE_WITH("inject_tail", 60, before, NULL, a_short_text_is_kept_completely,
               the_end_of_many_pieces_is_kept, the_end_of_one_long_piece_is_kept,
               a_cut_character_is_left_out, a_nul_becomes_a_space)
