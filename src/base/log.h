/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to the user. FATAL, ALERT, WARNING and DEBUG go to stderr, prefixed with their level.
 * Standard output is flushed first, so that the order is kept if both streams go to one place.
 * Notices go to standard output without a prefix. If many threads log the same message to stderr,
 * it is printed once and the repetitions are counted: "(last message repeated N times)" is printed
 * before the next different message. Any thread may call these functions; a lock keeps lines whole.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>

#include "base/util.h"

/*
 * The numbers are those of --verbosity: a message is printed if its level is at most the verbosity.
 */
enum log_level {
    LOG_FATAL = 0,
    LOG_ALERT = 1,
    LOG_WARNING = 2,
    LOG_NOTICE = 3,
    LOG_INFO = 4,
    LOG_DEBUG = 5,
};

/*
 * Declares that several processes write to the same place. Messages of this process to stderr then
 * have `speaker` after their level, and its notices are not printed. The text must stay valid.
 * NULL, the default, means that this is the only process.
 */
void log_set_speaker(const char *speaker);
void log_set_verbosity(enum log_level verbosity);
bool log_enabled(enum log_level level);

/*
 * Logs one line; the newline is added. Newlines within the text become blanks, so that text from
 * outside (a name, a message of a server) cannot look like a message of its own. If `fmt` ends with
 * a newline, an empty line follows.
 */
void log_text(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Logs a message that may have several lines, such as the error of a script. */
void log_lines(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The same as log_text(), followed by ": " and the text of errno. */
void log_errno(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Prints one line without a level to stderr at any verbosity; newlines are handled as in
 * log_text(). Used for a command line that cannot be understood, and for messages that must be
 * visible although standard output is read by another program.
 */
void log_bare(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* number of different warnings that are kept; later ones are only printed */
#define LOG_WARNINGS 100

/*
 * Calls `visit` for each different warning logged until now, without its level, in the order of
 * their first occurrence. Includes warnings that were not printed because of the verbosity. `visit`
 * must not log.
 */
void log_each_warning(void (*visit)(void *arg, const char *text), void *arg);

/*
 * Replaces each control character in `text` by '?', except for those in `kept` (ASCII only), so
 * that text from commands, scripts and servers cannot control the terminal. The Unicode control
 * characters U+0080 to U+009F are replaced too, and so are bytes with these values if they are not
 * part of valid UTF-8. Works in place; the text may become shorter. Returns `text`. All messages
 * are processed this way; they keep tabs.
 */
char *log_printable(char *text, const char *kept);

/*
 * Captures errors of this thread so that they can be reported elsewhere than on stderr, for example
 * in the answer to a web request. Between log_capture() and log_captured() messages of this thread
 * at levels FATAL to WARNING are not printed. log_captured() returns the first FATAL message
 * without its level, or NULL; the caller frees it.
 */
void log_capture(void);
char *log_captured(void);

/* Flushes standard output and records the first error. Use it instead of fflush(stdout). Any
 * thread may call it. */
void log_flush_stdout(void);
/* Returns the errno of the first failed write to standard output, or 0. */
int log_stdout_error(void);

/* Prints the pending "(last message repeated N times)", if any. The next message is printed even
 * if it repeats the last one. */
void log_flush(void);

/*
 * Call at the end of the program: prints the pending repetition count and flushes standard output.
 * Returns false after a logged message if standard output could not be written, for example because
 * the disk is full.
 */
bool log_end(void);

#endif
