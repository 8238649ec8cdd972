/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/port.h"
#include "options/exit_codes.h"

#define OWN_PROGRAM "/proc/self/exe"

struct child {
    char *folder;
    char *program; /* program to execute, unless a launcher starts it */
    char **argv;   /* NULL-terminated */
    size_t argc;
    char *input;      /* standard input; NULL for none */
    bool launched;    /* argv begins with a launcher, which is searched in PATH */
    pid_t pid;        /* 0 if it was not started */
    int death_signal; /* signal that the child gets when its parent ends */
    int pidfd;        /* −1 if it was not started, or has ended and was waited for */
    int exit_code;
    int end_signal; /* signal that ended the child; 0 if none did */
    char end_text[80];
};

static void add_arg(struct child *child, char *text)
{
    child->argv = xrealloc(child->argv, (child->argc + 2) * sizeof(*child->argv));
    child->argv[child->argc++] = text;
    child->argv[child->argc] = NULL;
}

static char *make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    char *folder;
    if (asprintf(&folder, "%s/sysrate.XXXXXX",
                 parent != NULL && parent[0] != '\0' ? parent : "/tmp") < 0)
        return checked_alloc(NULL);
    if (mkdtemp(folder) != NULL)
        return folder;
    log_errno(LOG_FATAL,
              "cannot create the temporary folder '%s' (set TMPDIR to another place)",
              folder);
    free(folder);
    return NULL;
}

struct child *child_create(void)
{
    char *folder = make_folder();
    if (folder == NULL)
        return NULL;
    struct child *child = xcalloc(1, sizeof(*child));
    child->folder = folder;
    child->program = xstrdup(OWN_PROGRAM);
    child->pidfd = -1;
    child->death_signal = SIGTERM;
    add_arg(child, xstrdup("sysrate"));
    return child;
}

void child_set_program(struct child *child, const char *path)
{
    free(child->program);
    child->program = xstrdup(path);
}

/* A launcher cannot use OWN_PROGRAM, which refers to this process, so it gets the path of the
 * file. */
static char *program_path(const struct child *child)
{
    char path[PATH_MAX];
    if (strcmp(child->program, OWN_PROGRAM) != 0)
        return xstrdup(child->program);
    ssize_t n = readlink(OWN_PROGRAM, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    return xstrdup(n > 0 ? path : "sysrate");
}

void child_set_command(struct child *child, char *const *words)
{
    for (size_t i = 0; i < child->argc; i++)
        free(child->argv[i]);
    child->argc = 0;
    child->launched = true;
    for (; *words != NULL; words++)
        add_arg(child, xstrdup(*words));
}

void child_launch_by(struct child *child, const char *words)
{
    char *copy = xstrdup(words), *rest = copy, *word;
    free(child->argv[0]);
    child->argc = 0;
    while ((word = strsep(&rest, " \t")) != NULL)
        if (word[0] != '\0')
            add_arg(child, xstrdup(word));
    child->launched = child->argc > 0;
    add_arg(child, child->launched ? program_path(child) : xstrdup("sysrate"));
    free(copy);
}

void child_of_threads(struct child *child)
{
    child->death_signal = SIGHUP;
}

void child_arg(struct child *child, const char *fmt, ...)
{
    va_list args;
    char *text;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = checked_alloc(NULL);
    va_end(args);
    add_arg(child, text);
}

void child_input(struct child *child, const char *text)
{
    free(child->input);
    child->input = xstrdup(text);
}

char *child_path(const struct child *child, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", child->folder, name) < 0 ? checked_alloc(NULL) : path;
}

/* Starting. */

/* Moves a descriptor above 2, because the child gets its own descriptors 0 to 2. */
static int move_up(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return moved;
}

static int open_output(const struct child *child, const char *name)
{
    char *path = child_path(child, name);
    int fd = move_up(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (fd < 0)
        log_errno(LOG_FATAL, "cannot write '%s'", path);
    free(path);
    return fd;
}

/* The input is a file in memory: unlike a pipe, it can be written completely before it is read. */
static int open_input(const struct child *child)
{
    const char *text = child->input != NULL ? child->input : "";
    int fd = move_up(memfd_create("sysrate", MFD_CLOEXEC));
    if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
        lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    log_errno(LOG_FATAL, "cannot create the input of a run");
    if (fd >= 0)
        close(fd);
    return -1;
}

static void close_all(const int fd[3])
{
    for (int i = 0; i < 3; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

static int open_standard_files(const struct child *child, int fd[3])
{
    fd[0] = open_input(child);
    fd[1] = open_output(child, "stdout");
    fd[2] = open_output(child, "stderr");
    if (fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0)
        return 0;
    close_all(fd);
    return -1;
}

/*
 * Resets all signal handlers to their defaults. A pending signal is delivered here and ends the
 * child; the parent's handler, which the child has inherited, would swallow it. Ignored signals
 * stay ignored.
 */
static void default_signals(void)
{
    struct sigaction action;
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs in the child, where only async-signal-safe functions may be called. Returns if the program
 * cannot be executed; errno has the reason. */
static void become_program(const struct child *child, const int fd[3], pid_t parent)
{
    default_signals();
    signal(child->death_signal, SIG_DFL); /* even if it is ignored, as under nohup */
    /* The parent may have ended before prctl(). */
    if (prctl(PR_SET_PDEATHSIG, child->death_signal) != 0 || getppid() != parent)
        _exit(CHILD_NO_PROGRAM);
    setpgid(0, 0); /* otherwise the terminal and the parent would both send it a signal */
    for (int i = 0; i < 3; i++)
        if (dup2(fd[i], i) < 0)
            return;
    if (child->launched)
        execvp(child->argv[0], child->argv);
    else
        execv(child->program, child->argv);
}

_Noreturn static void report_failure(int report_fd, int code)
{
    ssize_t n = write(report_fd, &code, sizeof(code));
    (void)n;
    _exit(CHILD_NO_PROGRAM);
}

/* Returns the errno that the child has written, or 0 if it executes its program, which closes the
 * child's end of the pipe. */
static int read_failure(int report_fd)
{
    int code = 0;
    return read(report_fd, &code, sizeof(code)) == (ssize_t)sizeof(code) ? code : 0;
}

/* Signals are blocked until the child has replaced the parent's handlers. Returns 0, or −1 with
 * errno set if the child was not started or could not execute its program. */
static int fork_program(struct child *child, const int fd[3])
{
    sigset_t all, before;
    pid_t parent = getpid();
    int report[2], code;
    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    report[1] = move_up(report[1]);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    child->pid = fork();
    if (child->pid == 0) {
        become_program(child, fd, parent);
        report_failure(report[1], errno);
    }
    code = child->pid < 0 ? errno : 0;
    close(report[1]);
    if (child->pid > 0)
        code = read_failure(report[0]);
    close(report[0]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return code == 0 ? 0 : -1;
}

/* Ends a child that was not started completely. */
static void give_up(struct child *child)
{
    if (child->pid > 0) {
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
}

static int refuse_program(struct child *child)
{
    const char *path = child->launched ? child->argv[0] : child->program;
    const bool unmounted = strcmp(path, OWN_PROGRAM) == 0 && errno == ENOENT;
    log_errno(LOG_FATAL, "cannot start a process for a run: '%s'%s", path,
              unmounted ? " (/proc must be mounted)" : "");
    give_up(child);
    return -1;
}

int child_start(struct child *child)
{
    child_arg(child, "--json=%s/" CHILD_REPORT, child->folder);
    return child_start_tool(child);
}

int64_t child_process(const struct child *child)
{
    return child->pid;
}

int child_start_tool(struct child *child)
{
    int fd[3];
    if (open_standard_files(child, fd) != 0)
        return -1;
    /* Buffered output must be written by the parent only. */
    fflush(NULL);
    int status = fork_program(child, fd), code = errno;
    close_all(fd);
    errno = code;
    if (status != 0)
        return refuse_program(child);
    child->pidfd = port_pidfd_open(child->pid);
    if (child->pidfd >= 0)
        return 0;
    log_errno(LOG_FATAL, "cannot start a process for a run");
    give_up(child);
    return -1;
}

/* Functions for a running child. */

static void note_end(struct child *child, int status)
{
    child->end_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->exit_code =
        child->end_signal != 0 ? EXIT_BY_SIGNAL + child->end_signal : WEXITSTATUS(status);
    if (child->end_signal != 0)
        snprintf(child->end_text, sizeof(child->end_text), "ended by signal %d (%s)",
                 child->end_signal, strsignal(child->end_signal));
    else
        snprintf(child->end_text, sizeof(child->end_text), "exit code %d", child->exit_code);
}

static void reap(struct child *child)
{
    int status;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    note_end(child, status);
    close(child->pidfd);
    child->pidfd = -1;
}

bool child_wait(struct child *child, int64_t deadline_ns)
{
    struct pollfd end = {.fd = child->pidfd, .events = POLLIN};
    while (child->pidfd >= 0) {
        struct timespec left = clock_timespec(max_i64(0, deadline_ns - clock_now_ns()));
        int n = ppoll(&end, 1, &left, NULL);
        if (n == 0)
            return false;
        if (n > 0)
            reap(child);
    }
    return true;
}

int child_exit_code(const struct child *child)
{
    return child->exit_code;
}

int child_end_signal(const struct child *child)
{
    return child->end_signal;
}

const char *child_end_text(const struct child *child)
{
    return child->end_text;
}

int child_signal(struct child *child, int signal)
{
    /* Until the child was waited for, no other process can get its process number. */
    return child_wait(child, 0) ? -1 : kill(child->pid, signal);
}

int child_freeze(struct child *child)
{
    siginfo_t info;
    if (child_signal(child, SIGSTOP) != 0)
        return -1;
    while (waitid(P_PID, (id_t)child->pid, &info, WSTOPPED | WEXITED | WNOWAIT) != 0)
        if (errno != EINTR)
            return -1;
    return info.si_code == CLD_STOPPED ? 0 : -1;
}

/* Functions for a child that has ended. */

json_t *child_report(const struct child *child)
{
    char *path = child_path(child, CHILD_REPORT);
    json_t *report = json_load_file(path, 0, NULL);
    free(path);
    return report;
}

char *child_text(const struct child *child, const char *name)
{
    char *path = child_path(child, name), *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    ssize_t length = file != NULL ? getdelim(&text, &room, '\0', file) : -1;
    if (file != NULL)
        fclose(file);
    free(path);
    if (length >= 0)
        return text;
    free(text);
    return xstrdup("");
}

static void remove_folder(const struct child *child)
{
    DIR *folder = opendir(child->folder);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    rmdir(child->folder);
}

void child_destroy(struct child *child)
{
    if (child == NULL)
        return;
    if (child_signal(child, SIGKILL) == 0)
        reap(child);
    remove_folder(child);
    for (size_t i = 0; i < child->argc; i++)
        free(child->argv[i]);
    free(child->argv);
    free(child->program);
    free(child->input);
    free(child->folder);
    free(child);
}

char *child_reason(const struct child *child)
{
    char *text = child_text(child, "stderr");
    const char *line = strstr(text, "FATAL: ");
    if (line == NULL) {
        size_t length = strlen(text);
        while (length > 0 && text[length - 1] == '\n')
            length--;
        const char *before = length > 0 ? memrchr(text, '\n', length) : NULL;
        line = before != NULL ? before + 1 : text;
    } else {
        line += strlen("FATAL: ");
    }
    char *reason = log_printable(checked_alloc(strndup(line, strcspn(line, "\n"))), "");
    free(text);
    return reason;
}
