/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands are real processes: the tests say what is to happen, not how fast. */
#include "run/inject_command.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../suite.h"
#include "base/clock.h"

static struct inject_tail tail;
static struct inject_command command;
static int stop_fd;

static void before(void)
{
    tail = (struct inject_tail){0};
    stop_fd = eventfd(0, EFD_NONBLOCK);
}

static void after(void)
{
    close(stop_fd);
}

static void start(const char *text)
{
    char *argv[] = {"/bin/sh", "-c", (char *)text, NULL};
    ck_assert_int_eq(inject_command_start(&command, argv, &tail), 0);
}

static void stop(void)
{
    eventfd_write(stop_fd, 1);
}

static void assert_output(const char *expected)
{
    char *text = inject_tail_text(&tail);
    ck_assert_str_eq(text, expected);
    free(text);
}

/*
 * A pipe to the test, which is descriptor 9 of commands: they write a byte to it when they are to
 * be told to stop. When nobody has the other end any more, all that belongs to them is gone.
 */
static int word[2];
static pthread_t stopper;

static void *stop_at_word(void *unused)
{
    char byte;
    (void)unused;
    ck_assert_int_eq(read(word[0], &byte, 1), 1);
    stop();
    return NULL;
}

static void start_with_word(const char *text)
{
    ck_assert_int_eq(pipe(word), 0);
    ck_assert_int_eq(dup2(word[1], 9), 9);
    start(text);
    close(word[1]);
    close(9);
    pthread_create(&stopper, NULL, stop_at_word, NULL);
}

static void assert_all_gone(void)
{
    char byte;
    pthread_join(stopper, NULL);
    while (read(word[0], &byte, 1) > 0)
        continue;
    close(word[0]);
}

/* Under the thread sanitizer vfork() is fork(), and the child cannot say why it has failed. */
START_TEST(what_does_not_exist_is_an_errno)
{
#ifndef __SANITIZE_THREAD__
    char *argv[] = {"/nowhere/command", NULL};
    ck_assert_int_eq(inject_command_start(&command, argv, &tail), ENOENT);
#endif
}
END_TEST

START_TEST(exit_code_and_output)
{
    start("cat; echo out; echo err >&2; exit 7");
    ck_assert(inject_command_wait(&command, stop_fd));
    stop();
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.exit_code, 7);
    ck_assert_int_eq(command.signal, 0);
    assert_output("out\nerr\n");
}
END_TEST

START_TEST(the_signal_that_ended_it)
{
    start("kill -USR1 $$");
    ck_assert(inject_command_wait(&command, stop_fd));
    stop();
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.exit_code, -1);
    ck_assert_int_eq(command.signal, SIGUSR1);
}
END_TEST

/* More than a pipe holds, so that the command ends only if it is read. */
START_TEST(a_flood_is_taken_away)
{
    start("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i + 1)); done");
    ck_assert(inject_command_wait(&command, stop_fd));
    stop();
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.exit_code, 0);
    ck_assert_uint_eq(tail.bytes, 220000);
}
END_TEST

START_TEST(told_to_stop_it_is_asked_to_end)
{
    start_with_word("echo >&9; exec sleep 600");
    ck_assert(inject_command_wait(&command, stop_fd));
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.signal, SIGTERM);
    ck_assert(command.kill_ns != INT64_MAX);
    assert_all_gone();
}
END_TEST

START_TEST(who_does_not_heed_that_is_killed)
{
    start_with_word("trap '' TERM; echo >&9; while :; do sleep 600; done");
    ck_assert(inject_command_wait(&command, stop_fd));
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.signal, SIGKILL);
    assert_all_gone();
}
END_TEST

/* What it leaves behind has its output still open, and writes to it after its end. */
START_TEST(what_is_left_behind_is_heard_and_ended)
{
    start_with_word("(while [ -e /proc/$$/exe ]; do sleep 0.05; done\n"
                    " echo later; echo >&9; exec sleep 600) &");
    ck_assert(inject_command_wait(&command, stop_fd));
    ck_assert_int_eq(command.exit_code, 0);
    inject_command_finish(&command, stop_fd);
    assert_output("later\n");
    assert_all_gone();
}
END_TEST

RUN_SUITE_WITH("inject_command", 60, before, after, what_does_not_exist_is_an_errno,
               exit_code_and_output, the_signal_that_ended_it, a_flood_is_taken_away,
               told_to_stop_it_is_asked_to_end, who_does_not_heed_that_is_killed,
               what_is_left_behind_is_heard_and_ended)
