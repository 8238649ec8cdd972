/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/unique.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"

#define PROCESSES 20
#define TEXTS 500

typedef char unique_text[UNIQUE_BYTES];

static void draw(unique_text *texts, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ck_assert_int_eq(unique_write(texts[i]), 0);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Two of 10 500 random texts of 64 bits are equal in one of 3 · 10¹¹ tests. */
static void assert_all_differ(unique_text *texts, unsigned count)
{
    qsort(texts, count, sizeof(texts[0]), by_text);
    for (unsigned i = 1; i < count; i++)
        ck_assert_str_ne(texts[i - 1], texts[i]);
}

START_TEST(texts_are_letters_and_digits_of_one_length)
{
    unique_text text;
    draw(&text, 1);
    ck_assert_uint_eq(strlen(text), UNIQUE_BYTES - 1);
    ck_assert_uint_eq(strspn(text, "0123456789abcdef"), UNIQUE_BYTES - 1);
}
END_TEST

/* Forked processes, which have the same seeds and addresses. */
START_TEST(processes_never_write_the_same)
{
    static unique_text texts[(PROCESSES + 1) * TEXTS];
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            draw(texts, TEXTS);
            for (unsigned k = 0; k < TEXTS; k++)
                if (write(fds[1], texts[k], UNIQUE_BYTES) != UNIQUE_BYTES)
                    _exit(1);
            _exit(0);
        }
    close(fds[1]);
    draw(texts, TEXTS);
    size_t used = TEXTS * sizeof(texts[0]);
    ssize_t n;
    while (used < sizeof(texts) &&
           (n = read(fds[0], (char *)texts + used, sizeof(texts) - used)) > 0)
        used += (size_t)n;
    ck_assert_uint_eq(used, sizeof(texts));
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    close(fds[0]);
    assert_all_differ(texts, (PROCESSES + 1) * TEXTS);
}
END_TEST

RUN_SUITE("unique", 60, texts_are_letters_and_digits_of_one_length, processes_never_write_the_same)
