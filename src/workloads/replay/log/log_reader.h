/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the log of a server, of one of several formats, as events. What is malformed, as at the
 * border of a log that was rotated or cut off, is skipped and counted.
 */
#ifndef LOG_READER_H
#define LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/replay/log/log_event.h"

/* In the order of the choices of --log-format, where the first is "auto". */
enum log_format {
    LOG_FORMAT_UNKNOWN,
    LOG_FORMAT_MYSQL_GENERAL,
    LOG_FORMAT_MYSQL_SLOW,
    LOG_FORMAT_PGSQL_CSV,
    LOG_FORMAT_PGSQL_STDERR
};

struct log_reader;

/*
 * `files` as in log_source_open(). `prefix`: PostgreSQL's log_line_prefix; NULL: one of the usual
 * ones. LOG_FORMAT_UNKNOWN: as the first lines look. Statements of more than `most_bytes`
 * (LOG_TEXT_BYTES unless a test wants less) are left out. NULL after a logged message.
 */
struct log_reader *log_reader_open(const char *files, enum log_format format, const char *prefix,
                                   size_t most_bytes);
/* NULL is harmless. */
void log_reader_close(struct log_reader *r);

/* False: there is no further event. */
bool log_reader_next(struct log_reader *r, struct log_event *event);

enum log_format log_reader_format(const struct log_reader *r);
/* "MySQL general log" */
const char *log_format_name(enum log_format format);
/* The driver for the server that writes such logs. */
const char *log_format_driver(enum log_format format);

/* Lines that were skipped because they made no sense, the number of the first of them (0: none),
 * and the name of its file. */
uint64_t log_reader_malformed(const struct log_reader *r, uint64_t *first, const char **file);
/* A file could not be read to its end. */
bool log_reader_failed(const struct log_reader *r);
/* How much of the log was read, and how much of it is: log_source_limit(). */
uint64_t log_reader_bytes(const struct log_reader *r);
void log_reader_limit(struct log_reader *r, uint64_t bytes);
/* Where the reader is, for messages. */
uint64_t log_reader_line(const struct log_reader *r);

#endif
