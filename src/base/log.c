/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

static const char *const prefixes[] = {
    [LOG_FATAL] = "FATAL: ", [LOG_ALERT] = "ALERT: ", [LOG_WARNING] = "WARNING: ",
    [LOG_NOTICE] = "",       [LOG_INFO] = "",         [LOG_DEBUG] = "DEBUG: ",
};

static atomic_int max_level = LOG_NOTICE;

/* State of standard error; a process has only one. */
static struct {
    pthread_mutex_t lock;  /* held while a line is written; protects the other fields */
    char *last;            /* the last line if it went to stderr, otherwise NULL */
    unsigned long repeats; /* number of times that `last` was repeated */
    char *warning[LOG_WARNINGS];
    unsigned warnings;
} output = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *speaker; /* set before threads are started */

void log_set_speaker(const char *name)
{
    speaker = name;
}

void log_set_verbosity(enum log_level verbosity)
{
    atomic_store_explicit(&max_level, (int)verbosity, memory_order_relaxed);
}

bool log_enabled(enum log_level level)
{
    if (speaker != NULL && (level == LOG_NOTICE || level == LOG_INFO))
        return false;
    return (int)level <= atomic_load_explicit(&max_level, memory_order_relaxed);
}

static atomic_int stdout_error;

void log_flush_stdout(void)
{
    int none = 0;
    if (fflush(stdout) != 0)
        atomic_compare_exchange_strong(&stdout_error, &none, errno);
}

int log_stdout_error(void)
{
    int error = atomic_load(&stdout_error);
    /* If stdio wrote a full buffer on its own and failed, the errno of that is lost. */
    return error == 0 && ferror(stdout) ? EIO : error;
}

static void end_folding(void)
{
    if (output.repeats > 0) {
        log_flush_stdout();
        fprintf(stderr, "(last message repeated %lu times)\n", output.repeats);
    }
    output.repeats = 0;
    free(output.last);
    output.last = NULL;
}

static void print_error_line(char *line)
{
    if (output.last != NULL && strcmp(line, output.last) == 0) {
        output.repeats++;
        free(line);
        return;
    }
    end_folding();
    log_flush_stdout();
    fprintf(stderr, "%s\n", line);
    output.last = line;
}

/* A notice resets the repetition count. Otherwise a repetition that came after the notice would
 * be counted in a line above it. */
static void print_notice(char *line)
{
    end_folding();
    printf("%s\n", line);
    log_flush_stdout();
    free(line);
}

/* Returns the length in bytes of the UTF-8 character at `c`, or 0 if there is no valid one. */
static size_t character_bytes(const unsigned char *c)
{
    /* The second byte decides whether the encoding is longer than needed, a surrogate or beyond
     * U+10FFFF. */
    const unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    const size_t bytes = c[0] < 0x80   ? 1
                         : c[0] < 0xc2 ? 0
                         : c[0] < 0xe0 ? 2
                         : c[0] < 0xf0 ? 3
                         : c[0] < 0xf5 ? 4
                                       : 0;
    if (bytes > 1 && (c[1] < least || c[1] > most))
        return 0;
    for (size_t i = 2; i < bytes; i++)
        if (c[i] < 0x80 || c[i] > 0xbf)
            return 0;
    return bytes;
}

/*
 * Returns true if the `bytes` bytes at `c` (0 if they are not UTF-8) are a control character.
 * U+0080 to U+009F are control characters in UTF-8, and terminals in 8-bit mode also act on the
 * bytes 0x80 to 0x9f that are not part of a character.
 */
static bool is_control(const unsigned char *c, size_t bytes)
{
    if (bytes == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    return bytes == 1 ? c[0] < ' ' || c[0] == 0x7f : bytes == 0 && c[0] >= 0x80 && c[0] < 0xa0;
}

char *log_printable(char *text, const char *kept)
{
    char *to = text;
    for (const char *c = text; *c != '\0';) {
        const size_t bytes = character_bytes((const unsigned char *)c);
        const size_t length = bytes > 0 ? bytes : 1;
        if (is_control((const unsigned char *)c, bytes) && strchr(kept, *c) == NULL) {
            *to++ = '?';
        } else {
            memmove(to, c, length);
            to += length;
        }
        c += length;
    }
    *to = '\0';
    return text;
}

/* Prints and frees `line`. */
static void print_line(bool notice, char *line)
{
    pthread_mutex_lock(&output.lock);
    if (notice)
        print_notice(line);
    else
        print_error_line(line);
    pthread_mutex_unlock(&output.lock);
}

static char *format(const char *fmt, ...) PRINTF_LIKE(1, 2);

static char *format_args(const char *fmt, va_list args)
{
    char *text;
    return checked_alloc(vasprintf(&text, fmt, args) < 0 ? NULL : text);
}

/* Replaces newlines by blanks, except for one at the end of `fmt`. */
static char *join_lines(char *text, const char *fmt)
{
    size_t length = strlen(text), fmt_length = strlen(fmt);
    if (length > 0 && fmt[fmt_length - 1] == '\n')
        length--;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n')
            text[i] = ' ';
    return text;
}

static char *format_line(const char *fmt, va_list args)
{
    return log_printable(join_lines(format_args(fmt, args), fmt), "\n\t");
}

static char *format(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = format_args(fmt, args);
    va_end(args);
    return text;
}

static void keep_warning(const char *text)
{
    unsigned i = 0;
    pthread_mutex_lock(&output.lock);
    while (i < output.warnings && strcmp(output.warning[i], text) != 0)
        i++;
    if (i == output.warnings && i < LOG_WARNINGS)
        output.warning[output.warnings++] = xstrdup(text);
    pthread_mutex_unlock(&output.lock);
}

void log_each_warning(void (*visit)(void *arg, const char *text), void *arg)
{
    pthread_mutex_lock(&output.lock);
    for (unsigned i = 0; i < output.warnings; i++)
        visit(arg, output.warning[i]);
    pthread_mutex_unlock(&output.lock);
}

/* Warnings are kept even if they are not printed. */
static bool is_wanted(enum log_level level)
{
    return level == LOG_WARNING || log_enabled(level);
}

/* Captures the messages of this thread instead of printing them. */
static _Thread_local struct {
    bool on;
    char *text;
} capture;

void log_capture(void)
{
    capture.on = true;
}

char *log_captured(void)
{
    char *text = capture.text;
    capture.on = false;
    capture.text = NULL;
    return text;
}

/* Takes over `text`. */
static void capture_message(enum log_level level, char *text, const char *detail)
{
    if (level == LOG_FATAL && capture.text == NULL)
        capture.text = format("%s%s%s", text, detail[0] != '\0' ? ": " : "", detail);
    free(text);
}

/* Takes over `text`. */
static void print_message(enum log_level level, char *text, const char *detail)
{
    if (capture.on && level <= LOG_WARNING) {
        capture_message(level, text, detail);
        return;
    }
    const char *name = speaker != NULL ? speaker : "";
    char *line =
        format("%s%s%s%s%s", prefixes[level], name, text, detail[0] != '\0' ? ": " : "", detail);
    free(text);
    if (level == LOG_WARNING)
        keep_warning(line + strlen(prefixes[level]));
    if (log_enabled(level))
        print_line(level == LOG_NOTICE || level == LOG_INFO, line);
    else
        free(line);
}

void log_text(enum log_level level, const char *fmt, ...)
{
    if (!is_wanted(level))
        return;
    va_list args;
    va_start(args, fmt);
    print_message(level, format_line(fmt, args), "");
    va_end(args);
}

void log_lines(enum log_level level, const char *fmt, ...)
{
    if (!is_wanted(level))
        return;
    va_list args;
    va_start(args, fmt);
    print_message(level, log_printable(format_args(fmt, args), "\n\t"), "");
    va_end(args);
}

static const char *error_text(int error)
{
    return error == EFBIG ? "File too large (see ulimit -f)" : strerror(error);
}

void log_errno(enum log_level level, const char *fmt, ...)
{
    int error = errno;
    if (!is_wanted(level))
        return;
    va_list args;
    va_start(args, fmt);
    print_message(level, format_line(fmt, args), error_text(error));
    va_end(args);
}

void log_bare(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *text = format_line(fmt, args);
    va_end(args);
    print_line(false, format("%s%s", speaker != NULL ? speaker : "", text));
    free(text);
}

void log_flush(void)
{
    pthread_mutex_lock(&output.lock);
    end_folding();
    pthread_mutex_unlock(&output.lock);
}

bool log_end(void)
{
    log_flush();
    log_flush_stdout();
    errno = log_stdout_error();
    if (errno == 0)
        return true;
    log_errno(LOG_FATAL, "cannot write to standard output");
    return false;
}
