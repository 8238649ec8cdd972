/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Check runs each test in a separate process, so changes of signal handlers end with the test. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"
#include "base/clock.h"
#include "base/interrupt.h"

/* Later than any test takes, but before the timeout of a test that hangs. */
#define LATE_NS (20 * NS_PER_SEC)

/* Starts a process that calls interrupt_init() and raises `first` and then `second`. Returns the
 * exit status of waitpid(). */
static int end_of(int first, int second)
{
    int status;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        _exit(interrupt_init() != 0 || raise(first) != 0 || interrupt_signal() != first ||
              raise(second) != 0 || interrupt_signal() != first);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static bool is_killed_by(int status, int signo)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == signo;
}

static bool is_well(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

START_TEST(the_first_signal_is_recorded)
{
    ck_assert_int_eq(interrupt_init(), 0);
    ck_assert_int_eq(interrupt_signal(), 0);
    raise(SIGTERM);
    ck_assert_int_eq(interrupt_signal(), SIGTERM);
    interrupt_fini();
}
END_TEST

START_TEST(the_second_signal_ends_the_process)
{
    ck_assert(is_killed_by(end_of(SIGINT, SIGINT), SIGINT));
    ck_assert(is_killed_by(end_of(SIGINT, SIGTERM), SIGTERM));
    ck_assert(is_killed_by(end_of(SIGTERM, SIGINT), SIGINT));
    ck_assert(is_killed_by(end_of(SIGHUP, SIGINT), SIGINT));
}
END_TEST

START_TEST(a_second_hangup_does_not_end_the_process)
{
    ck_assert(is_well(end_of(SIGHUP, SIGHUP)));
    ck_assert(is_well(end_of(SIGINT, SIGHUP)));
}
END_TEST

START_TEST(an_ignored_hangup_stays_ignored)
{
    signal(SIGHUP, SIG_IGN);
    ck_assert_int_eq(interrupt_init(), 0);
    raise(SIGHUP);
    ck_assert_int_eq(interrupt_signal(), 0);
    interrupt_fini();
    raise(SIGHUP);
}
END_TEST

START_TEST(a_broken_pipe_is_an_error)
{
    int ends[2];
    ck_assert_int_eq(interrupt_init(), 0);
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    ck_assert_int_eq(write(ends[1], "x", 1), -1);
    ck_assert_int_eq(errno, EPIPE);
    ck_assert_int_eq(interrupt_signal(), 0);
    close(ends[1]);
    interrupt_fini();
}
END_TEST

START_TEST(a_relay_is_one_signal_however_often_it_comes)
{
    ck_assert_int_eq(interrupt_init(), 0);
    ck_assert(!interrupt_relayed());
    raise(interrupt_relay());
    raise(interrupt_relay());
    ck_assert(interrupt_relayed());
    ck_assert_int_eq(interrupt_signal(), SIGTERM);
    /* Reads and cancels the alarm, so that it does not end the test. */
    const unsigned left = alarm(0);
    ck_assert(left > 0 && left <= INTERRUPT_RELAYED_S);
    interrupt_fini();
    ck_assert(is_well(end_of(SIGINT, interrupt_relay())));
    ck_assert(is_killed_by(end_of(SIGINT, SIGINT), SIGINT));
}
END_TEST

static void (*handler_of(int signo))(int)
{
    struct sigaction action;
    ck_assert_int_eq(sigaction(signo, NULL, &action), 0);
    return action.sa_handler;
}

START_TEST(signals_end_the_process_again_afterwards)
{
    ck_assert_int_eq(interrupt_init(), 0);
    ck_assert(handler_of(SIGINT) != SIG_DFL && handler_of(SIGTERM) != SIG_DFL &&
              handler_of(SIGHUP) != SIG_DFL);
    interrupt_fini();
    ck_assert(handler_of(SIGINT) == SIG_DFL && handler_of(SIGTERM) == SIG_DFL &&
              handler_of(SIGHUP) == SIG_DFL);
}
END_TEST

START_TEST(a_hangup_after_a_recorded_signal_is_ignored)
{
    ck_assert_int_eq(interrupt_init(), 0);
    raise(SIGHUP);
    interrupt_fini();
    raise(SIGHUP);
    ck_assert_int_eq(interrupt_signal(), SIGHUP);
    /* A second interrupt_init() forgets the signal. */
    ck_assert_int_eq(interrupt_init(), 0);
    ck_assert_int_eq(interrupt_signal(), 0);
    interrupt_fini();
}
END_TEST

START_TEST(a_wait_lasts_until_its_deadline)
{
    ck_assert_int_eq(interrupt_init(), 0);
    int64_t deadline_ns = clock_now_ns() + 20 * NS_PER_MS;
    interrupt_wait(deadline_ns);
    ck_assert_int_ge(clock_now_ns(), deadline_ns);
    interrupt_wait(deadline_ns); /* the deadline has passed */
    interrupt_fini();
}
END_TEST

START_TEST(a_notification_ends_one_wait_even_if_it_came_earlier)
{
    ck_assert_int_eq(interrupt_init(), 0);
    int64_t late_ns = clock_now_ns() + LATE_NS;
    interrupt_notify(NULL);
    interrupt_notify(NULL);
    interrupt_wait(late_ns);
    ck_assert_int_lt(clock_now_ns(), late_ns);
    int64_t deadline_ns = clock_now_ns() + 20 * NS_PER_MS;
    interrupt_wait(deadline_ns);
    ck_assert_int_ge(clock_now_ns(), deadline_ns);
    interrupt_fini();
}
END_TEST

static void *notify_soon(void *unused)
{
    clock_sleep_until_ns(clock_now_ns() + 20 * NS_PER_MS);
    interrupt_notify(unused);
    return NULL;
}

static void *signal_soon(void *unused)
{
    clock_sleep_until_ns(clock_now_ns() + 20 * NS_PER_MS);
    kill(getpid(), SIGTERM);
    return unused;
}

/* Waits while another thread executes `function`, which must end the wait. */
static void wait_beside(void *(*function)(void *))
{
    pthread_t thread;
    int64_t late_ns = clock_now_ns() + LATE_NS;
    interrupt_mask();
    ck_assert_int_eq(pthread_create(&thread, NULL, function, NULL), 0);
    interrupt_unmask();
    interrupt_wait(late_ns);
    ck_assert_int_lt(clock_now_ns(), late_ns);
    pthread_join(thread, NULL);
}

START_TEST(another_thread_ends_a_wait)
{
    ck_assert_int_eq(interrupt_init(), 0);
    wait_beside(notify_soon);
    ck_assert_int_eq(interrupt_signal(), 0);
    interrupt_fini();
}
END_TEST

START_TEST(a_signal_ends_a_wait)
{
    ck_assert_int_eq(interrupt_init(), 0);
    wait_beside(signal_soon);
    ck_assert_int_eq(interrupt_signal(), SIGTERM);
    interrupt_fini();
}
END_TEST

static void *read_mask(void *mask)
{
    pthread_sigmask(SIG_BLOCK, NULL, mask);
    return NULL;
}

static void assert_blocked(int expected)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    pthread_t thread;
    sigset_t mask;
    ck_assert_int_eq(pthread_create(&thread, NULL, read_mask, &mask), 0);
    pthread_join(thread, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        ck_assert_int_eq(sigismember(&mask, signals[i]), expected);
}

START_TEST(threads_get_no_signals_while_they_are_masked)
{
    interrupt_mask();
    assert_blocked(1);
    interrupt_unmask();
    assert_blocked(0);
}
END_TEST

RUN_SUITE("interrupt", 60, the_first_signal_is_recorded, the_second_signal_ends_the_process,
          a_second_hangup_does_not_end_the_process, an_ignored_hangup_stays_ignored,
          a_broken_pipe_is_an_error, a_relay_is_one_signal_however_often_it_comes,
          signals_end_the_process_again_afterwards, a_hangup_after_a_recorded_signal_is_ignored,
          a_wait_lasts_until_its_deadline, a_notification_ends_one_wait_even_if_it_came_earlier,
          another_thread_ends_a_wait, a_signal_ends_a_wait,
          threads_get_no_signals_while_they_are_masked)
