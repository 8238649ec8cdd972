/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the log of a server, in one of several formats, as a sequence of events. Lines that belong
 * to no record, for example at the border of a log that was rotated or cut off, are skipped and
 * counted by reason. Files of a list that cover the same time (log_overlap.h) are merged by time.
 */
#ifndef LOG_READER_H
#define LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/replay/log/log_event.h"
#include "workloads/replay/log/log_overlap.h"

/* Formats, in the order of the choices of --log-format, of which the first is "auto". */
enum log_format {
    LOG_FORMAT_UNKNOWN,
    LOG_FORMAT_MYSQL_GENERAL,
    LOG_FORMAT_MYSQL_SLOW,
    LOG_FORMAT_PGSQL_CSV,
    LOG_FORMAT_PGSQL_STDERR,
    LOG_FORMAT_PGSQL_JSON
};

struct log_reader;

/*
 * Opens a log. `files` is as in log_source_open(). It and `prefix` must outlive the reader.
 * `prefix` is PostgreSQL's log_line_prefix; if it is NULL, it is derived from the first lines. If
 * `format` is LOG_FORMAT_UNKNOWN, the format is detected from the first lines. Statements of more
 * than `most_bytes` bytes are left out; use LOG_TEXT_BYTES except in tests. Returns NULL after a
 * logged message.
 */
struct log_reader *log_reader_open(const char *files, enum log_format format, const char *prefix,
                                   size_t most_bytes);
/* `r` may be NULL. */
void log_reader_close(struct log_reader *r);

/* Reads the next event. Returns false at the end of the log. */
bool log_reader_next(struct log_reader *r, struct log_event *event);

enum log_format log_reader_format(const struct log_reader *r);
/* Name of the format, for example "MySQL general log". */
const char *log_format_name(enum log_format format);
/* Name of the driver for servers that write such logs. */
const char *log_format_driver(enum log_format format);

/* Call it before log_reader_next(): records without a connection id then belong to a session for
 * each user and host. Without it, such records are left out. */
void log_reader_sessions_by_user(struct log_reader *r);
/* Returns true if the server logged all statements of one of N sessions. */
bool log_reader_limits_sessions(const struct log_reader *r);

/* Returns the lines that were skipped, by reason. */
const struct log_tally *log_reader_skipped(const struct log_reader *r);
/* Returns true if a file could not be read to its end. */
bool log_reader_failed(const struct log_reader *r);

/* Number of bytes of each part of a log: of all its files together in part[0] or, if they are
 * merged, of each file. */
struct log_bytes {
    uint64_t part[LOG_PARTS];
};
/* Number of bytes read from the log, and a limit for it: see log_source_limit(). */
struct log_bytes log_reader_bytes(const struct log_reader *r);
void log_reader_limit(struct log_reader *r, const struct log_bytes *bytes);

#endif
