/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control sequences are those of ECMA-48 and the VT100, which all current terminals
 * understand. */
#include "report/live/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/port.h"
#include "base/util.h"

/* The cursor remains where other output is printed: it is saved before each sequence and
 * restored afterwards. */
#define SAVE "\0337"
#define RESTORE "\0338"
#define SCROLL_ALL "\033[r"
#define CLEAR_BELOW "\033[J"
#define CLEAR_LINE "\033[2K"

/* Minimum number of lines that scroll, and minimum number of columns of the window. */
#define SCROLLING_MIN 6
#define COLUMNS_MIN 40

struct screen {
    unsigned rows, columns; /* size of the window when it was read last */
    unsigned kept;          /* number of reserved lines at the bottom, or 0 */
    pid_t guard;
    int guard_fd; /* pipe to the guard process: it restores the terminal when the pipe is closed,
                   * if anything was written to it before */
};

static void write_all(const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(STDOUT_FILENO, text, bytes);
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0) {
            text += n;
            bytes -= (size_t)n;
        }
    }
}

static void restore_terminal(void)
{
    static const char sequence[] = SAVE SCROLL_ALL RESTORE CLEAR_BELOW;
    write_all(sequence, sizeof(sequence) - 1);
}

/* The guard process. It ignores the signals of the terminal, which are meant for the other
 * processes. */
static void guard_main(int fd)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGTSTP, SIGTTOU};
    char sign;
    bool kept = false;
    ssize_t n;
    for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
        signal(ignored[i], SIG_IGN);
    dup2(fd, STDIN_FILENO);
    port_close_from(STDERR_FILENO);
    while ((n = read(STDIN_FILENO, &sign, 1)) > 0 || (n < 0 && errno == EINTR))
        kept = kept || n > 0;
    if (kept)
        restore_terminal();
    _exit(0);
}

static int start_guard(struct screen *screen)
{
    int fd[2];
    if (pipe2(fd, O_CLOEXEC) != 0)
        return -1;
    log_flush_stdout();
    screen->guard = fork();
    if (screen->guard == 0) {
        close(fd[1]);
        guard_main(fd[0]);
    }
    close(fd[0]);
    screen->guard_fd = fd[1];
    if (screen->guard > 0)
        return 0;
    close(fd[1]);
    return -1;
}

struct screen *screen_open(const char *what)
{
    const char *kind = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || kind == NULL || kind[0] == '\0' || strcmp(kind, "dumb") == 0)
        return NULL;
    struct screen *screen = xcalloc(1, sizeof(*screen));
    if (start_guard(screen) == 0)
        return screen;
    log_errno(LOG_WARNING, "%s: cannot start a process that restores the terminal", what);
    free(screen);
    return NULL;
}

void screen_close(struct screen *screen)
{
    log_flush_stdout();
    close(screen->guard_fd);
    while (waitpid(screen->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    free(screen);
}

/* Scrolls up the text in the lines that are to be reserved. */
static void make_room(unsigned lines)
{
    char text[64];
    int bytes = 0;
    for (unsigned i = 0; i < lines; i++)
        text[bytes++] = '\n';
    bytes += snprintf(text + bytes, sizeof(text) - (size_t)bytes, "\033[%uA", lines);
    write_all(text, (size_t)bytes);
}

static void reserve_lines(const struct screen *screen)
{
    /* Notify the guard first: if this process ends at any time afterwards, the guard restores
     * the terminal. */
    while (write(screen->guard_fd, "", 1) < 0 && errno == EINTR)
        ;
    make_room(screen->kept);
}

unsigned screen_fit(struct screen *screen, unsigned most, unsigned least)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (size.ws_row == screen->rows && size.ws_col == screen->columns)
        return screen->kept;
    log_flush_stdout();
    if (screen->kept > 0)
        restore_terminal();
    screen->rows = size.ws_row;
    screen->columns = size.ws_col;
    screen->kept = size.ws_col < COLUMNS_MIN              ? 0
                   : size.ws_row >= most + SCROLLING_MIN  ? most
                   : size.ws_row >= least + SCROLLING_MIN ? least
                                                          : 0;
    if (screen->kept > 0)
        reserve_lines(screen);
    return screen->kept;
}

unsigned screen_columns(const struct screen *screen)
{
    return screen->columns;
}

/* Returns the number of bytes of the first `columns` characters of `line`. */
static int cut(const char *line, unsigned columns)
{
    const char *end = line;
    while (*end != '\0') {
        bool first = (*end & 0xC0) != 0x80; /* `end` is at the first byte of a character */
        if (first && columns-- == 0)
            break;
        end++;
    }
    return (int)(end - line);
}

void screen_show(struct screen *screen, const char *const *line)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    /* Reserve the lines each time: another program may have reset the scrolling area since. */
    fprintf(out, SAVE "\033[1;%ur", screen->rows - screen->kept);
    for (unsigned i = 0; i < screen->kept; i++)
        fprintf(out, "\033[%u;1H" CLEAR_LINE "%.*s", screen->rows - screen->kept + 1 + i,
                cut(line[i], screen->columns), line[i]);
    fputs(RESTORE, out);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    log_flush_stdout();
    write_all(text, bytes);
    free(text);
}
