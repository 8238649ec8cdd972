/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

/* Signal handlers get no context pointer, so the state is global. Any thread may be the
 * interrupted one. */
static _Atomic sig_atomic_t first_signal, relayed;
static int wake_fd = -1;

static void wake(void)
{
    uint64_t one = 1;
    /* Fails only if the counter is full, and then the waiting thread wakes anyway. */
    ssize_t n = write(wake_fd, &one, sizeof(one));
    (void)n;
}

static void note_signal(int signo)
{
    if (first_signal == 0)
        first_signal = signo;
    /* The next SIGINT or SIGTERM ends the process. SIGHUP stays handled: hangups come in pairs,
     * one of them from the shell. */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    wake();
}

static void note_relay(int signo)
{
    (void)signo;
    if (relayed == 0)
        alarm(INTERRUPT_RELAYED_S);
    relayed = 1;
    if (first_signal == 0)
        first_signal = SIGTERM;
    wake();
}

/* The write that caused SIGPIPE returns an error. SIGPIPE is handled rather than ignored,
 * because programs started by scripts would inherit an ignored signal. */
static void note_broken_pipe(int signo)
{
    (void)signo;
}

static bool is_ignored(int signo)
{
    struct sigaction action;
    return sigaction(signo, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void handle(int signo, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signo, &action, NULL);
}

int interrupt_init(void)
{
    first_signal = relayed = 0;
    wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_fd < 0) {
        log_errno(LOG_FATAL, "cannot create an event descriptor");
        return -1;
    }
    handle(SIGINT, note_signal);
    handle(SIGTERM, note_signal);
    handle(interrupt_relay(), note_relay);
    if (!is_ignored(SIGHUP))
        handle(SIGHUP, note_signal);
    if (!is_ignored(SIGPIPE))
        handle(SIGPIPE, note_broken_pipe);
    return 0;
}

void interrupt_leave(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (first_signal == 0 && !is_ignored(SIGHUP))
        signal(SIGHUP, SIG_DFL);
}

void interrupt_fini(void)
{
    interrupt_leave();
    close(wake_fd);
    wake_fd = -1;
}

int interrupt_signal(void)
{
    return first_signal;
}

int interrupt_relay(void)
{
    return SIGRTMIN + 4;
}

bool interrupt_relayed(void)
{
    return relayed != 0;
}

static void change_mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, interrupt_relay());
    pthread_sigmask(how, &set, NULL);
}

void interrupt_mask(void)
{
    change_mask(SIG_BLOCK);
}

void interrupt_unmask(void)
{
    change_mask(SIG_UNBLOCK);
}

void interrupt_wait(int64_t deadline_ns)
{
    struct pollfd fd = {.fd = wake_fd, .events = POLLIN};
    struct timespec left = clock_timespec(max_i64(0, deadline_ns - clock_now_ns()));
    if (ppoll(&fd, 1, &left, NULL) <= 0)
        return;
    uint64_t count;
    ssize_t n = read(wake_fd, &count, sizeof(count));
    (void)n;
}

void interrupt_notify(void *unused)
{
    (void)unused;
    wake();
}
