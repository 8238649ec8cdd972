/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/launch/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/util.h"
#include "ranks/launch/held.h"

/* How long to wait for the launcher to end, and for the keeper, which ends before it. */
#define LAUNCHER_ENDS_NS (2 * NS_PER_SEC)
#define KEEPER_ENDS_NS NS_PER_SEC
#define LOOK_NS (5 * NS_PER_MS)
/* After SIGCONT, the launcher may be about to send SIGTERM: a quarter of a second later, or more on
 * a busy machine. During this time it does not read the output of its processes. */
#define MAY_END_NS NS_PER_SEC
/* The launcher is searched among this many ancestors, as shells may be between. */
#define ANCESTORS 16
/* number of streams: standard output and standard error */
#define STREAMS 2

/* One output stream of the rank. */
struct stream {
    int fd;       /* descriptor in this process */
    int launcher; /* copy of the launcher's descriptor for this stream; −1 if not opened */
    struct held held;
};

/* In memory shared by keeper and rank. */
struct keeper {
    pid_t pid, parent;            /* process ids of the keeper and of its parent */
    _Atomic int64_t continued_ns; /* when SIGCONT last arrived, set by the keeper; 0 if never */
    struct stream stream[STREAMS];
};

/* Functions that run in the keeper. */

static void end_like(int status)
{
    sigset_t all;
    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    /* No core dump: the rank has written one already, if enabled. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(WTERMSIG(status), SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

static void pass_on(struct keeper *keeper, pid_t rank, int signo)
{
    switch (signo) {
    case SIGTSTP:
        kill(rank, SIGSTOP);
        break;
    case SIGCONT:
        atomic_store(&keeper->continued_ns, clock_now_ns());
        kill(rank, SIGCONT);
        break;
    default:
        kill(rank, interrupt_relay());
    }
}

/* Waits for the signals in the set, which are blocked, and forwards them to the rank. Never
 * returns. */
static void keep(struct keeper *keeper, pid_t rank, const sigset_t *signals)
{
    int signo, status;
    prctl(PR_SET_NAME, "rank-keeper");
    prctl(PR_SET_PDEATHSIG, interrupt_relay());
    if (getppid() != keeper->parent)
        kill(rank, interrupt_relay());
    for (;;) {
        if (sigwait(signals, &signo) != 0)
            continue;
        /* This signal also arrives when the thread of the parent that started this process ends. */
        if (signo == interrupt_relay() && getppid() == keeper->parent)
            continue;
        if (signo != SIGCHLD)
            pass_on(keeper, rank, signo);
        else if (waitpid(rank, &status, WNOHANG) == rank)
            end_like(status);
    }
}

static void set_signals(sigset_t *set)
{
    static const int signals[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT};
    sigemptyset(set);
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        sigaddset(set, signals[i]);
    sigaddset(set, interrupt_relay());
}

/* Functions that find the launcher and its output streams. */

/* Returns the parent of a process, or 0 if unknown, and sets *launcher if the process is mpirun.
 * The file has the form "PID (NAME) STATE PARENT"; the name may contain blanks and parentheses. */
static pid_t parent_of(pid_t pid, bool *launcher)
{
    char path[32], line[512] = "";
    int parent = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    const char *text = fgets(line, sizeof(line), file);
    fclose(file);
    const char *end = text != NULL ? strrchr(text, ')') : NULL;
    if (end == NULL || sscanf(end, ") %*c %d", &parent) != 1)
        return 0;
    *launcher = strstr(text, "(prterun)") != NULL || strstr(text, "(mpirun)") != NULL;
    return parent;
}

/* Returns the process id of the launcher, or 0 if it runs on another machine. */
static pid_t find_launcher(void)
{
    bool found = false;
    pid_t pid = getppid();
    for (int i = 0; i < ANCESTORS && pid > 1; i++) {
        const pid_t parent = parent_of(pid, &found);
        if (found)
            return pid;
        pid = parent;
    }
    return 0;
}

/* Opens the file or pipe that the launcher has open as descriptor `fd`. Returns −1 on failure. Does
 * not block, even if it is a pipe without a reader. */
static int open_of(pid_t launcher, int fd)
{
    char path[40];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)launcher, fd);
    const int copy = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (copy >= 0)
        fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) & ~O_NONBLOCK);
    return copy;
}

static void open_streams(struct keeper *keeper, bool speaks)
{
    const pid_t launcher = speaks ? find_launcher() : 0;
    for (int i = 0; i < STREAMS; i++) {
        const int fd = STDOUT_FILENO + i;
        keeper->stream[i] = (struct stream){
            .fd = fd, .launcher = launcher != 0 ? open_of(launcher, fd) : -1, .held = {-1}};
    }
}

/* Functions that run in the rank. */

static void become_rank(const sigset_t *before)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, interrupt_relay());
    sigprocmask(SIG_SETMASK, before, NULL);
}

static struct keeper *share_memory(void)
{
    void *memory = mmap(NULL, sizeof(struct keeper), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return checked_alloc(memory != MAP_FAILED ? memory : NULL);
}

struct keeper *keeper_create(bool speaks)
{
    sigset_t signals, before;
    if (getenv("PRTE_LAUNCHED") == NULL)
        return NULL;
    struct keeper *keeper = share_memory();
    keeper->pid = getpid();
    keeper->parent = getppid();
    open_streams(keeper, speaks);
    set_signals(&signals);
    signal(SIGCHLD, SIG_DFL); /* if SIGCHLD is ignored, it is not delivered */
    sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t rank = fork();
    if (rank > 0)
        keep(keeper, rank, &signals);
    if (rank == 0) {
        become_rank(&before);
        if (getppid() != keeper->pid)
            _exit(1);
        return keeper;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    keeper_destroy(keeper);
    return NULL;
}

void keeper_destroy(struct keeper *keeper)
{
    if (keeper == NULL)
        return;
    for (int i = 0; i < STREAMS; i++) {
        if (keeper->stream[i].launcher >= 0)
            close(keeper->stream[i].launcher);
    }
    munmap(keeper, sizeof(*keeper));
}

pid_t keeper_parent(const struct keeper *keeper)
{
    return keeper->parent;
}

/* Returns true if the keeper is dead or has lost the launcher. */
static bool is_gone(const struct keeper *keeper)
{
    bool unused;
    return getppid() != keeper->pid || parent_of(keeper->pid, &unused) != keeper->parent;
}

bool keeper_is_gone(const struct keeper *keeper)
{
    const int64_t deadline_ns = clock_now_ns() + KEEPER_ENDS_NS;
    while (!is_gone(keeper) && clock_now_ns() < deadline_ns)
        clock_sleep_until_ns(clock_now_ns() + LOOK_NS);
    return is_gone(keeper);
}

/* Functions that hold and release the output of the rank. */

static void hold(struct stream *s)
{
    struct stat is;
    if (s->launcher >= 0 && s->held.own < 0 && fstat(s->fd, &is) == 0 && !S_ISREG(is.st_mode))
        held_begin(&s->held, s->fd);
}

/* Waits until `fd` is a pipe without a reader, at most until the deadline. Signals may interrupt
 * the wait. Returns true if the pipe has no reader. */
static bool has_no_reader(int fd, int64_t deadline_ns)
{
    struct pollfd pollfd = {.fd = fd};
    int64_t left_ns;
    int ready = 0;
    while (ready <= 0 && (left_ns = deadline_ns - clock_now_ns()) > 0)
        ready = poll(&pollfd, 1, (int)(left_ns / NS_PER_MS) + 1);
    return ready > 0;
}

static void release(struct stream *s, int64_t deadline_ns)
{
    if (s->held.own >= 0)
        held_end(&s->held, s->fd, has_no_reader(s->held.own, deadline_ns) ? s->launcher : -1);
}

static bool may_end(const struct keeper *keeper)
{
    const int64_t continued_ns = atomic_load(&keeper->continued_ns);
    return continued_ns != 0 && clock_now_ns() - continued_ns < MAY_END_NS;
}

void keeper_hold_output(struct keeper *keeper, bool ends)
{
    const bool holds = ends || may_end(keeper);
    for (int i = 0; i < STREAMS; i++) {
        struct stream *s = &keeper->stream[i];
        if (holds)
            hold(s);
        else
            held_end(&s->held, s->fd, -1);
    }
}

void keeper_release_output(struct keeper *keeper)
{
    const int64_t deadline_ns = clock_now_ns() + LAUNCHER_ENDS_NS;
    log_flush_stdout();
    for (int i = 0; i < STREAMS; i++)
        release(&keeper->stream[i], deadline_ns);
}
