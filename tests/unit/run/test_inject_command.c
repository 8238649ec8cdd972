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

/* Until the command has printed so many bytes. */
static void *stop_after_output(void *bytes)
{
    while (*(volatile uint64_t *)&tail.bytes < (uintptr_t)bytes)
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
    stop();
    return NULL;
}

START_TEST(what_does_not_exist_is_an_errno)
{
    char *argv[] = {"/nowhere/command", NULL};
    ck_assert_int_eq(inject_command_start(&command, argv, &tail), ENOENT);
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
    stop();
    start("sleep 600");
    ck_assert(inject_command_wait(&command, stop_fd));
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.signal, SIGTERM);
    ck_assert(command.kill_ns != INT64_MAX);
}
END_TEST

/* The shell says when it no longer heeds SIGTERM: only then it is told. */
START_TEST(who_does_not_heed_that_is_killed)
{
    pthread_t stopper;
    start("trap '' TERM; echo ready; while :; do sleep 600; done");
    pthread_create(&stopper, NULL, stop_after_output, (void *)(uintptr_t)6);
    ck_assert(inject_command_wait(&command, stop_fd));
    pthread_join(stopper, NULL);
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.signal, SIGKILL);
}
END_TEST

/*
 * What it leaves behind has its output still open, and writes to it after its end. It also has a
 * pipe of the test's, whose end tells that it is gone.
 */
START_TEST(what_is_left_behind_is_heard_and_ended)
{
    pthread_t stopper;
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    start("(while [ -e /proc/$$/exe ]; do sleep 0.05; done; echo later; exec sleep 600) &");
    close(ends[1]);
    pthread_create(&stopper, NULL, stop_after_output, (void *)(uintptr_t)6);
    ck_assert(inject_command_wait(&command, stop_fd));
    ck_assert_int_eq(command.exit_code, 0);
    inject_command_finish(&command, stop_fd);
    pthread_join(stopper, NULL);
    assert_output("later\n");
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}
END_TEST

RUN_SUITE_WITH("inject_command", 60, before, after, what_does_not_exist_is_an_errno,
               exit_code_and_output, the_signal_that_ended_it, a_flood_is_taken_away,
               told_to_stop_it_is_asked_to_end, who_does_not_heed_that_is_killed,
               what_is_left_behind_is_heard_and_ended)
