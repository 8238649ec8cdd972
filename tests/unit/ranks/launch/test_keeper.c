/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each test acts as the launcher: it starts a process that forks into keeper and rank, and checks
 * both. */
#include "ranks/launch/keeper.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/clock.h"
#include "base/interrupt.h"

#define WAIT_MS 20000

/* The process started by the launcher, and a pipe from its rank. */
struct started {
    pid_t pid;
    int read_fd; /* read end of the pipe */
};

/* The code of the rank in a test. Returns the exit code. */
typedef int (*rank_fn)(struct keeper *keeper, int write_fd);

static void start(struct started *s, rank_fn rank)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    setenv("PRTE_LAUNCHED", "1", 1);
    s->pid = fork();
    ck_assert_int_ge(s->pid, 0);
    if (s->pid == 0) {
        setpgid(0, 0);
        struct keeper *keeper = keeper_create(true);
        _exit(keeper == NULL || interrupt_init() != 0 ? 99 : rank(keeper, ends[1]));
    }
    close(ends[1]);
    s->read_fd = ends[0];
}

/* Returns the next letter that the rank has written, or 0 if it has ended. */
static char read_letter(const struct started *s)
{
    char c = 0;
    struct pollfd fd = {.fd = s->read_fd, .events = POLLIN};
    ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
    return read(s->read_fd, &c, 1) == 1 ? c : 0;
}

static void write_letter(int write_fd, char c)
{
    if (write(write_fd, &c, 1) != 1)
        _exit(98);
}

static int end_of(const struct started *s)
{
    int status;
    ck_assert_int_eq(waitpid(s->pid, &status, 0), s->pid);
    return status;
}

static int is_asked_to_end(struct keeper *keeper, int write_fd)
{
    write_letter(write_fd, 'b');
    while (interrupt_signal() == 0)
        interrupt_wait(clock_now_ns() + NS_PER_SEC);
    write_letter(write_fd, interrupt_relayed() && interrupt_signal() == SIGTERM ? 'r' : 'x');
    if (keeper_is_gone(keeper))
        write_letter(write_fd, 'g');
    return 7;
}

static int ends_at_once(struct keeper *keeper, int write_fd)
{
    keeper_destroy(keeper);
    write_letter(write_fd, getpgid(0) == getpid() && getpgid(getppid()) != getpid() ? 'o' : 'x');
    return 5;
}

static int kills_itself(struct keeper *keeper, int write_fd)
{
    (void)keeper, (void)write_fd;
    raise(SIGKILL);
    return 0;
}

START_TEST(only_processes_of_prrte_are_forked)
{
    unsetenv("PRTE_LAUNCHED");
    ck_assert_ptr_null(keeper_create(true));
}
END_TEST

START_TEST(the_keeper_has_the_exit_status_of_the_rank)
{
    struct started s;
    start(&s, ends_at_once);
    ck_assert_int_eq(read_letter(&s), 'o');
    ck_assert_int_eq(WEXITSTATUS(end_of(&s)), 5);
    start(&s, kills_itself);
    const int status = end_of(&s);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
END_TEST

START_TEST(signals_are_forwarded_to_the_rank)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        struct started s;
        start(&s, is_asked_to_end);
        ck_assert_int_eq(read_letter(&s), 'b');
        kill(s.pid, signals[i]);
        ck_assert_int_eq(read_letter(&s), 'r');
        ck_assert_int_eq(read_letter(&s), 0);
        ck_assert_int_eq(WEXITSTATUS(end_of(&s)), 7);
    }
}
END_TEST

START_TEST(the_rank_outlives_its_group)
{
    struct started s;
    start(&s, is_asked_to_end);
    ck_assert_int_eq(read_letter(&s), 'b');
    kill(-s.pid, SIGKILL);
    ck_assert_int_eq(WTERMSIG(end_of(&s)), SIGKILL);
    ck_assert_int_eq(read_letter(&s), 'r');
    ck_assert_int_eq(read_letter(&s), 'g');
    ck_assert_int_eq(read_letter(&s), 0);
}
END_TEST

/* Output. The launcher is a process with the name of one, which reads a pipe while it lives. */

static int writes(struct keeper *keeper, int write_fd)
{
    printf("0");
    fflush(stdout);
    printf("1");
    keeper_hold_output(keeper, true);
    keeper_hold_output(keeper, true);
    printf("2");
    fflush(stdout);
    write_letter(write_fd, 'h');
    keeper_release_output(keeper);
    printf("3");
    fflush(stdout);
    write_letter(write_fd, 'd');
    return 0;
}

static bool output_is_held(void)
{
    struct stat is;
    return fstat(STDOUT_FILENO, &is) == 0 && !S_ISFIFO(is.st_mode);
}

static void hold_until(struct keeper *keeper, bool held)
{
    while (output_is_held() != held) {
        clock_sleep_until_ns(clock_now_ns() + NS_PER_MS);
        keeper_hold_output(keeper, false);
    }
}

/* The launcher sends SIGCONT before it ends its processes. */
static int is_continued(struct keeper *keeper, int write_fd)
{
    printf("0");
    fflush(stdout);
    keeper_hold_output(keeper, false);
    if (output_is_held())
        return 1;
    kill(getppid(), SIGCONT);
    hold_until(keeper, true);
    printf("2");
    fflush(stdout);
    write_letter(write_fd, 'h');
    return 0;
}

static int is_continued_and_released(struct keeper *keeper, int write_fd)
{
    is_continued(keeper, write_fd);
    keeper_release_output(keeper);
    write_letter(write_fd, 'd');
    return 0;
}

static int is_continued_and_goes_on(struct keeper *keeper, int write_fd)
{
    is_continued(keeper, write_fd);
    hold_until(keeper, false);
    printf("3");
    fflush(stdout);
    write_letter(write_fd, 'd');
    return 0;
}

/* Acts as a launcher with the standard output `out`. The rank's output goes to a pipe. If `ends` is
 * true, the launcher reads only the beginning of the pipe. */
static void be_launcher(int out, bool ends, rank_fn rank, int write_fd)
{
    struct started s;
    int ends_of_pipe[2];
    char text[8];
    prctl(PR_SET_NAME, "prterun");
    dup2(out, STDOUT_FILENO);
    if (pipe(ends_of_pipe) != 0)
        _exit(1);
    setenv("PRTE_LAUNCHED", "1", 1);
    s.pid = fork();
    if (s.pid == 0) {
        close(ends_of_pipe[0]);
        dup2(ends_of_pipe[1], STDOUT_FILENO);
        close(ends_of_pipe[1]);
        struct keeper *keeper = keeper_create(true);
        _exit(keeper == NULL || interrupt_init() != 0 ? 99 : rank(keeper, write_fd));
    }
    close(ends_of_pipe[1]);
    if (read(ends_of_pipe[0], text, 1) != 1 || ends)
        _exit(0);
    for (ssize_t n; (n = read(ends_of_pipe[0], text, sizeof(text))) > 0;)
        dprintf(STDOUT_FILENO, "launcher:%.*s ", (int)n, text);
    _exit(0);
}

/* Returns what was written to the launcher's standard output when all processes have ended. */
static void output_of(bool ends, rank_fn rank, char *text, size_t size)
{
    int pipe_fd[2];
    struct started s;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(pipe(pipe_fd), 0);
    fflush(NULL);
    s.pid = fork();
    if (s.pid == 0)
        be_launcher(fileno(file), ends, rank, pipe_fd[1]);
    close(pipe_fd[1]);
    s.read_fd = pipe_fd[0];
    ck_assert_int_eq(read_letter(&s), 'h');
    ck_assert_int_eq(read_letter(&s), 'd');
    ck_assert_int_eq(read_letter(&s), 0);
    end_of(&s);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

START_TEST(held_output_goes_to_the_output_of_the_launcher)
{
    char text[64];
    output_of(true, writes, text, sizeof(text));
    ck_assert_str_eq(text, "123");
}
END_TEST

START_TEST(a_launcher_that_continues_gets_the_output)
{
    char text[64];
    output_of(false, writes, text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "launcher:12"));
    ck_assert_ptr_nonnull(strstr(text, "3 "));
}
END_TEST

START_TEST(output_is_held_when_the_launcher_may_end)
{
    char text[64];
    output_of(true, is_continued_and_released, text, sizeof(text));
    ck_assert_str_eq(text, "2");
}
END_TEST

START_TEST(held_output_is_released_if_the_launcher_continues)
{
    char text[64];
    output_of(false, is_continued_and_goes_on, text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "launcher:2"));
    ck_assert_ptr_nonnull(strstr(text, "3 "));
}
END_TEST

RUN_SUITE("keeper", 60, only_processes_of_prrte_are_forked,
          the_keeper_has_the_exit_status_of_the_rank, signals_are_forwarded_to_the_rank,
          the_rank_outlives_its_group, held_output_goes_to_the_output_of_the_launcher,
          a_launcher_that_continues_gets_the_output, output_is_held_when_the_launcher_may_end,
          held_output_is_released_if_the_launcher_continues)
