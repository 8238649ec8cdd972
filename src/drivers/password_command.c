/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drivers/password_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/port.h"
#include "base/util.h"

/* Longest output that is accepted. Tokens of cloud services have a few kilobytes. */
#define OUTPUT_BYTES (64 * 1024)

struct command {
    pid_t pid;
    int pidfd, output;
    size_t used;
    char text[OUTPUT_BYTES + 1];
};

/* Reads what is available. Closes the pipe at its end. */
static void take_output(struct command *c)
{
    while (c->output >= 0 && c->used < sizeof(c->text)) {
        const ssize_t n = read(c->output, c->text + c->used, sizeof(c->text) - c->used);
        if (n > 0) {
            c->used += (size_t)n;
        } else if (n == 0) {
            close(c->output);
            c->output = -1;
        } else if (errno != EINTR) {
            return;
        }
    }
}

/* Returns true if the command has ended or has printed too much, false after the deadline. */
static bool wait_for_end(struct command *c, int64_t deadline_ns)
{
    while (c->used < sizeof(c->text)) {
        struct pollfd fd[] = {{.fd = c->output, .events = POLLIN},
                              {.fd = c->pidfd, .events = POLLIN}};
        const int64_t left_ns = deadline_ns - clock_now_ns();
        if (left_ns <= 0)
            return false;
        poll(fd, ARRAY_SIZE(fd), (int)min_i64(left_ns / NS_PER_MS + 1, 60000));
        take_output(c);
        /* A process that the command has left behind may keep the pipe open. */
        if (fd[1].revents != 0)
            return true;
    }
    return true;
}

static char *first_line(const struct command *c)
{
    const size_t length = strcspn(c->text, "\r\n");
    char *line = xcalloc(1, length + 1);

    memcpy(line, c->text, length);
    return line;
}

/* Examines the output of a command that has ended. */
static char *judge(struct command *c, int status, char *failure, size_t bytes)
{
    c->text[min_u32((uint32_t)c->used, OUTPUT_BYTES)] = '\0';
    if (c->used > OUTPUT_BYTES)
        snprintf(failure, bytes, "has printed more than %d bytes", OUTPUT_BYTES);
    else if (WIFSIGNALED(status))
        snprintf(failure, bytes, "was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        snprintf(failure, bytes, "has ended with exit status %d", WEXITSTATUS(status));
    else if (strlen(c->text) != c->used)
        snprintf(failure, bytes, "has printed a byte that is zero");
    else if (c->text[strspn(c->text, "\r\n")] == '\0' || strcspn(c->text, "\r\n") == 0)
        snprintf(failure, bytes, "has printed no password");
    else
        return first_line(c);
    return NULL;
}

void password_command_too_late(int64_t limit_ns, char *failure, size_t bytes)
{
    snprintf(failure, bytes, "has not ended within %.3g s", ns_to_seconds(limit_ns));
}

static char *finish(struct command *c, int64_t limit_ns, char *failure, size_t bytes)
{
    int status = 0;
    const bool ended = wait_for_end(c, clock_now_ns() + limit_ns);

    take_output(c);
    if (!ended || c->used > OUTPUT_BYTES)
        kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (ended)
        return judge(c, status, failure, bytes);
    password_command_too_late(limit_ns, failure, bytes);
    return NULL;
}

/* Starts the command. Returns 0 or an errno. */
static int start(struct command *c, char *const argv[])
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const int errors = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int error = errors < 0 ? errno : port_spawn(argv, ends[1], errors, &c->pid);
    close(ends[1]);
    if (errors >= 0)
        close(errors);
    c->output = ends[0];
    if (error == 0 && (c->pidfd = port_pidfd_open(c->pid)) < 0) {
        error = errno;
        kill(-c->pid, SIGKILL);
        waitpid(c->pid, NULL, 0);
    }
    return error;
}

char *password_command_run(char *const argv[], int64_t limit_ns, char *failure, size_t bytes)
{
    struct command *c = xcalloc(1, sizeof(*c));
    char *password = NULL;

    c->output = c->pidfd = -1;
    const int error = start(c, argv);
    if (error == 0)
        password = finish(c, limit_ns, failure, bytes);
    else
        snprintf(failure, bytes, "cannot be started: %s", strerror(error));
    if (c->output >= 0)
        close(c->output);
    if (c->pidfd >= 0)
        close(c->pidfd);
    explicit_bzero(c->text, sizeof(c->text));
    free(c);
    return password;
}
