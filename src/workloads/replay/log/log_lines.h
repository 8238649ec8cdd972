/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a log, for the readers of formats. */
#ifndef LOG_LINES_H
#define LOG_LINES_H

#include "workloads/replay/log/log_source.h"

/*
 * Reasons to leave out a statement of which the reader may have only a part, in the plural. A part
 * of a statement may do something else than the whole, so no reader returns one.
 */
#define LOG_TOO_LONG "statements of more than 64 MB"
#define LOG_IN_PART "statements where the log was cut off"
#define LOG_INTERRUPTED "statements that are followed by lines that made no sense"
#define LOG_END_UNKNOWN "statements whose last semicolon is in a comment or a literal"
#define LOG_BEFORE_START "statements that are followed by a start of the server"
#define LOG_OPEN "statements that end within a literal or a comment"
#define LOG_LAST "writes at the end of a log, which may be cut off there"
#define LOG_HAS_NUL "statements with a NUL byte"

/* The lines, with one line of look-ahead: a record ends where the next one begins. */
struct log_lines {
    struct log_source *source;
    char *line;
    size_t length;
    bool kept; /* log_lines_next() returns the current line again */
    bool cut;  /* the current line is longer than a statement may be, and its rest is lost */
    /* Reason why a part of the current line may be missing; NULL if the line is whole. After the
     * last line: why more lines may be missing; NULL if the log was read to its end. */
    const char *missing;
    uint64_t malformed, first_malformed;
    char *malformed_file;
};

bool log_lines_next(struct log_lines *l);
/* Makes log_lines_next() return the current line again. */
static inline void log_lines_keep(struct log_lines *l)
{
    l->kept = true;
}
/* Copies `missing` of the current line, or of the end of the log, unless *missing has a reason
 * already. */
static inline void log_lines_note_missing(const struct log_lines *l, const char **missing)
{
    if (*missing == NULL)
        *missing = l->missing;
}
/* Counts the current line as malformed. */
void log_lines_malformed(struct log_lines *l);

#endif
