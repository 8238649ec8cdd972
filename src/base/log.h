/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to the user. FATAL, ALERT, WARNING and DEBUG go to stderr behind their level, after
 * standard output was flushed, so that the order holds where both go to one place. Notices go bare
 * to standard output. A message to stderr that many threads repeat is printed once and then
 * counted: "(last message repeated N times)" stands before the next different one. Any thread may
 * call; a lock keeps lines whole.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>

#include "base/util.h"

/* The numbers are those of --verbosity: a message is printed when its level ≤ the verbosity. */
enum log_level {
    LOG_FATAL = 0,
    LOG_ALERT = 1,
    LOG_WARNING = 2,
    LOG_NOTICE = 3,
    LOG_INFO = 4,
    LOG_DEBUG = 5,
};

/*
 * This process is one of several that write to the same place: its messages to stderr begin with
 * `speaker` behind their level, and it has no notices. The text must stay; NULL: the only one.
 */
void log_set_speaker(const char *speaker);
void log_set_verbosity(enum log_level verbosity);
bool log_enabled(enum log_level level);

/*
 * One line; the newline is added. Line ends within it become blanks, so that what comes from
 * outside (a name, the text of a server) cannot look like a message of its own; one at the end of
 * `fmt` makes an empty line.
 */
void log_text(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A message of several lines, as errors of scripts may have them. */
void log_lines(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* log_text() with ": " and the text of errno behind it. */
void log_errno(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * One bare line to stderr, at any verbosity, with line ends as in log_text(): for a command line
 * that cannot be understood, and for what must be told although standard output is for other
 * programs.
 */
void log_bare(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* How many different warnings are kept; of a run that has more, those are the first. */
#define LOG_WARNINGS 100

/*
 * Each different warning so far, without its level, in the order in which they came; also those
 * that were not printed for the verbosity. `visit` must not log.
 */
void log_each_warning(void (*visit)(void *arg, const char *text), void *arg);

/*
 * A '?' for each control character but those of `kept` (of ASCII): what commands, scripts and
 * servers say must not act on the terminal. Those of Unicode, U+0080 to U+009F, are control
 * characters too, and where `text` is not UTF-8 the bytes of these numbers. In place; the text may
 * become shorter. Returns `text`. All messages have been through it; they keep tabs.
 */
char *log_printable(char *text, const char *kept);

/*
 * What goes wrong while something is done for somebody else, who is to be told, and not whoever
 * reads standard error. Between log_hear() and log_heard() the messages of this thread down to
 * warnings are not printed. log_heard() returns the first of those at FATAL, without its level, or
 * NULL; the caller frees it.
 */
void log_hear(void);
char *log_heard(void);

/*
 * Standard output is flushed by this, so that its first error is known. Any thread.
 */
void log_flush_stdout(void);
/* The errno of that; 0: there was none. */
int log_stdout_error(void);

/* Prints the pending "(last message repeated N times)", if there is one. The next message is
 * printed in any case. */
void log_flush(void);

/* For the end of a program: prints what is pending and flushes standard output. Returns false after
 * a logged message if something could not be written there, such as on a full disk. */
bool log_end(void);

#endif
