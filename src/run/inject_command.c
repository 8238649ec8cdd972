/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inject_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/port.h"
#include "base/util.h"

/* Time from SIGTERM to SIGKILL, and from SIGKILL until the process is given up. */
#define TERM_GRACE_NS (2 * NS_PER_SEC)
#define KILL_GRACE_NS NS_PER_SEC

#define CHUNK_BYTES (64 * 1024)

/* Start. */

static void kill_and_reap(struct inject_command *c)
{
    kill(-c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
}

int inject_command_start(struct inject_command *c, char *const argv[], struct inject_tail *tail)
{
    int ends[2];
    *c = (struct inject_command){
        .pidfd = -1, .output = -1, .exit_code = -1, .kill_ns = INT64_MAX, .tail = tail};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int error = port_spawn(argv, ends[1], ends[1], &c->pid);
    close(ends[1]);
    if (error == 0 && (c->pidfd = port_pidfd_open(c->pid)) < 0) {
        error = errno;
        kill_and_reap(c);
    }
    if (error != 0)
        close(ends[0]);
    else
        c->output = ends[0];
    return error;
}

/* During the run. */

/* Reads at most one chunk, so that the other descriptors get their turn. */
static void take_output(struct inject_command *c)
{
    char chunk[CHUNK_BYTES];
    ssize_t n = read(c->output, chunk, sizeof(chunk));
    if (n > 0) {
        inject_tail_add(c->tail, chunk, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(c->output);
        c->output = -1;
    }
}

/*
 * The process stays a zombie until inject_command_finish(), so that no other process gets its group
 * id.
 */
static void note_end(struct inject_command *c)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) == 0) {
        c->exit_code = info.si_code == CLD_EXITED ? info.si_status : -1;
        c->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    }
    close(c->pidfd);
    c->pidfd = -1;
}

static void ask_to_end(struct inject_command *c)
{
    kill(-c->pid, SIGTERM);
    c->kill_ns = clock_now_ns() + TERM_GRACE_NS;
}

/* Waits for output, the end of the process, a stop, or `deadline_ns`, and handles whichever came
 * first. */
static void wait_for_event(struct inject_command *c, int stop_fd, int64_t deadline_ns)
{
    bool asked = c->kill_ns != INT64_MAX;
    struct pollfd fd[] = {{.fd = c->output, .events = POLLIN},
                          {.fd = c->pidfd, .events = POLLIN},
                          {.fd = asked ? -1 : stop_fd, .events = POLLIN}};
    struct timespec left = clock_timespec(max_i64(0, deadline_ns - clock_now_ns()));
    if (ppoll(fd, ARRAY_SIZE(fd), deadline_ns == INT64_MAX ? NULL : &left, NULL) <= 0)
        return;
    if (fd[0].revents != 0)
        take_output(c);
    if (fd[1].revents != 0)
        note_end(c);
    if (fd[2].revents != 0)
        ask_to_end(c);
}

bool inject_command_wait(struct inject_command *c, int stop_fd)
{
    while (c->pidfd >= 0 && clock_now_ns() < c->kill_ns)
        wait_for_event(c, stop_fd, c->kill_ns);
    if (c->pidfd < 0)
        return true;
    kill(-c->pid, SIGKILL);
    int64_t deadline_ns = clock_now_ns() + KILL_GRACE_NS;
    while (c->pidfd >= 0 && clock_now_ns() < deadline_ns)
        wait_for_event(c, stop_fd, deadline_ns);
    return c->pidfd < 0;
}

void inject_command_finish(struct inject_command *c, int stop_fd)
{
    while (c->kill_ns == INT64_MAX)
        wait_for_event(c, stop_fd, INT64_MAX);
    /* Child processes of the command that are still running usually keep the output open. */
    while (c->output >= 0 && clock_now_ns() < c->kill_ns)
        wait_for_event(c, stop_fd, c->kill_ns);
    kill_and_reap(c);
    if (c->output >= 0)
        close(c->output);
}
