/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with real processes. They check which events happen, not how fast. */
#include "run/inject_command.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
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
 * A named pipe to the test, which the commands open as descriptor 9. A command writes a byte to it
 * when the test should stop the command. When all processes of the command have ended, the pipe is
 * closed.
 */
static char signal_path[40];
static int signal_pipe;
static pthread_t stopper;

static void *stop_at_byte(void *unused)
{
    char byte;
    (void)unused;
    signal_pipe = open(signal_path, O_RDONLY); /* waits until the command opens the pipe */
    ck_assert_int_eq(read(signal_pipe, &byte, 1), 1);
    stop();
    return NULL;
}

static void start_with_pipe(const char *text)
{
    char *whole;
    snprintf(signal_path, sizeof(signal_path), "signal.%ld.fifo", (long)getpid());
    ck_assert_int_eq(mkfifo(signal_path, 0600), 0);
    ck_assert_int_ge(asprintf(&whole, "exec 9>%s; %s", signal_path, text), 0);
    start(whole);
    free(whole);
    pthread_create(&stopper, NULL, stop_at_byte, NULL);
}

static void assert_all_gone(void)
{
    char byte;
    pthread_join(stopper, NULL);
    while (read(signal_pipe, &byte, 1) > 0)
        continue;
    close(signal_pipe);
    unlink(signal_path);
}

/* With the thread sanitizer vfork() is fork(), so the child cannot report why it has failed. */
START_TEST(a_missing_command_gives_an_errno)
{
#ifndef __SANITIZE_THREAD__
    char *argv[] = {"/nowhere/command", NULL};
    ck_assert_int_eq(inject_command_start(&command, argv, &tail), ENOENT);
#endif
}
END_TEST

START_TEST(exit_code_and_output_are_kept)
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

START_TEST(the_signal_that_ended_a_command_is_kept)
{
    start("kill -USR1 $$");
    ck_assert(inject_command_wait(&command, stop_fd));
    stop();
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.exit_code, -1);
    ck_assert_int_eq(command.signal, SIGUSR1);
}
END_TEST

/* The output is larger than a pipe, so the command ends only if its output is read. */
START_TEST(large_output_does_not_block_a_command)
{
    start("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i + 1)); done");
    ck_assert(inject_command_wait(&command, stop_fd));
    stop();
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.exit_code, 0);
    ck_assert_uint_eq(tail.bytes, 220000);
}
END_TEST

START_TEST(a_stop_sends_sigterm)
{
    start_with_pipe("echo >&9; exec sleep 600");
    ck_assert(inject_command_wait(&command, stop_fd));
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.signal, SIGTERM);
    ck_assert(command.kill_ns != INT64_MAX);
    assert_all_gone();
}
END_TEST

START_TEST(a_command_that_ignores_sigterm_is_killed)
{
    start_with_pipe("trap '' TERM; echo >&9; while :; do sleep 600; done");
    ck_assert(inject_command_wait(&command, stop_fd));
    inject_command_finish(&command, stop_fd);
    ck_assert_int_eq(command.signal, SIGKILL);
    assert_all_gone();
}
END_TEST

/* The command leaves a process that still writes to its output after the command has ended. */
START_TEST(processes_left_by_a_command_are_read_and_ended)
{
    start_with_pipe("(while [ -e /proc/$$/exe ]; do sleep 0.05; done\n"
                    " echo later; echo >&9; exec sleep 600) &");
    ck_assert(inject_command_wait(&command, stop_fd));
    ck_assert_int_eq(command.exit_code, 0);
    inject_command_finish(&command, stop_fd);
    assert_output("later\n");
    assert_all_gone();
}
END_TEST

RUN_SUITE_WITH("inject_command", 60, before, after, a_missing_command_gives_an_errno,
               exit_code_and_output_are_kept, the_signal_that_ended_a_command_is_kept,
               large_output_does_not_block_a_command, a_stop_sends_sigterm,
               a_command_that_ignores_sigterm_is_killed,
               processes_left_by_a_command_are_read_and_ended)
