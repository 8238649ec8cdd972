/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a log, for the readers of formats. */
#ifndef LOG_LINES_H
#define LOG_LINES_H

#include "workloads/replay/log/log_reason.h"
#include "workloads/replay/log/log_source.h"
#include "workloads/replay/log/log_unwrap.h"

/* The lines, with one line of look-ahead: a record ends where the next one begins. */
struct log_lines {
    const char *files;
    struct log_source *source;
    struct log_unwrap unwrap;
    /* Properties of the current line that its container has. A line that is not wrapped as the
     * others is counted as skipped, is empty, and `missing` has a reason. */
    struct log_carrier carrier;
    char *line;
    size_t length;
    bool kept;      /* log_lines_next() returns the current line again */
    bool at_border; /* a file has ended, and the next one follows */
    bool cut;       /* the current line is longer than a statement may be, and its rest is lost */
    /* Reason why a part of the current line may be missing; NULL if the line is whole. After the
     * last line: why more lines may be missing; NULL if the log was read to its end. */
    const struct log_reason *missing;
    /* Position of the first line of the current record: see log_lines_begin(). */
    uint64_t record_line;
    const char *record_file;
    struct log_tally skipped; /* lines that were skipped */
    /* Recognizes the first line of a record, if the reader cannot tell the lines of several hosts
     * or containers apart: it then gets the lines of the first of them only. NULL otherwise. */
    bool (*looks_like)(const char *line, const char *prefix);
    bool has_source;
    uint64_t log_source; /* log_carrier.source of these lines, if `has_source` */
    bool by_user;        /* records without a connection id: one session per user and host */
    bool by_session; /* the server logged whole sessions */
};

/* Opens the log; see log_source_open(). `files` must outlive `l`. Returns false after a logged
 * message. */
bool log_lines_open(struct log_lines *l, const char *files);
/* See log_source_open_to_look(). */
bool log_lines_open_to_look(struct log_lines *l, const char *files);
void log_lines_close(struct log_lines *l);
/* Returns false at the end of the log and, once, at the end of each of its files (`at_border`): no
 * record continues in the next file, which may be from another time. */
bool log_lines_next(struct log_lines *l);
/* If the reader is at the end of a file, makes the first line of the next file the current line,
 * which log_lines_next() returns, too. Returns false if there is none. */
bool log_lines_peek(struct log_lines *l);
/* Makes log_lines_next() return the current line again. */
static inline void log_lines_keep(struct log_lines *l)
{
    l->kept = true;
}
/* Copies `missing` of the current line, or of the end of the log, unless *missing has a reason
 * already. */
static inline void log_lines_note_missing(const struct log_lines *l,
                                          const struct log_reason **missing)
{
    if (*missing == NULL)
        *missing = l->missing;
}
/* A reader calls it if a record begins with the current line. Events have the position of this
 * line. */
void log_lines_begin(struct log_lines *l);
/* Counts the current line as skipped. */
void log_lines_skip(struct log_lines *l, const struct log_reason *reason);

#endif
