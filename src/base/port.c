/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/port.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void port_trim_heap(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void port_map_blocks(int bytes)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}

/* Sets all signals to their defaults. */
static void reset_signals(void)
{
    sigset_t none;
    for (int signo = 1; signo < NSIG; signo++)
        signal(signo, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool set_files(int output, int errors)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(errors, STDERR_FILENO) < 0)
        return false;
    port_close_from(STDERR_FILENO + 1);
    return true;
}

/*
 * Runs in the child, which shares the memory of the program until execvp(). The child gets SIGTERM
 * when the thread that has started it ends, and this setting stays until the command has ended.
 */
_Noreturn static void become_command(char *const argv[], int output, int errors, pid_t parent,
                                     volatile int *error)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent && setsid() >= 0 &&
        set_files(output, errors)) {
        reset_signals();
        execvp(argv[0], argv);
    }
    *error = errno;
    _exit(127);
}

/*
 * Uses vfork() and not fork(): fork() would copy the page tables of the program, and each page
 * would be copied when a worker next writes to it, which would distort the measured times. Signals
 * are blocked, because a handler would run in the child with the program's memory.
 */
int port_spawn(char *const argv[], int output, int errors, pid_t *pid)
{
    sigset_t all, before;
    volatile int error = 0; /* written by the child */
    const pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = vfork();
    if (child == 0)
        become_command(argv, output, errors, parent, &error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return errno;
    if (error != 0)
        waitpid(child, NULL, 0);
    *pid = child;
    return error;
}

#ifdef HAVE_SEM_CLOCKWAIT

int port_sem_wait(sem_t *sem, const struct timespec *deadline)
{
    return sem_clockwait(sem, CLOCK_MONOTONIC, deadline);
}

#else

#include <stdint.h>

#include "base/util.h"

/* longest wait on the wall clock before the monotonic clock is checked again */
#define SLICE_NS NS_PER_SEC

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * NS_PER_SEC + time->tv_nsec;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return ns_of(&now);
}

/* Waits at most `span_ns`, measured by the wall clock: POSIX has no other clock for semaphores. */
static int wait_for(sem_t *sem, int64_t span_ns)
{
    const int64_t end_ns = now_ns(CLOCK_REALTIME) + span_ns;
    const struct timespec end = {.tv_sec = end_ns / NS_PER_SEC, .tv_nsec = end_ns % NS_PER_SEC};
    return sem_timedwait(sem, &end);
}

int port_sem_wait(sem_t *sem, const struct timespec *deadline)
{
    const int64_t deadline_ns = ns_of(deadline);
    while (true) {
        const int64_t left_ns = max_i64(0, deadline_ns - now_ns(CLOCK_MONOTONIC));
        if (wait_for(sem, min_i64(left_ns, SLICE_NS)) == 0)
            return 0;
        if (errno != ETIMEDOUT || left_ns == 0)
            return -1;
    }
}

#endif
