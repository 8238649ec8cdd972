/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a log: of one file, or of several that follow each other; also of gzip's. */
#ifndef LOG_SOURCE_H
#define LOG_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer lines are cut, unless log_source_line_limit() says otherwise. */
#define LOG_LINE_BYTES ((size_t)64 << 20)

struct log_source;

/* `files`: names, separated by commas, the oldest first. NULL after a logged message. */
struct log_source *log_source_open(const char *files);
/* NULL is harmless. */
void log_source_close(struct log_source *s);

/*
 * The next line without its end, which a NUL takes the place of; good until the next call. False:
 * there is no further one, or a file could not be read on.
 */
bool log_source_line(struct log_source *s, char **line, size_t *length);
/* True if the last line was longer than allowed: the rest of it was read and is lost. */
bool log_source_cut(const struct log_source *s);
/* The last line had no end: its file was cut off, or is being written. */
bool log_source_unended(const struct log_source *s);
/* Lines of more bytes are cut from now on. */
void log_source_line_limit(struct log_source *s, size_t bytes);
/* Of all files, so many bytes were read (those that gzip's are unpacked to), and at most so many
 * are. */
uint64_t log_source_bytes(const struct log_source *s);
void log_source_limit(struct log_source *s, uint64_t bytes);
/* Which line of its file the last one was, from 1 on, and the name of that file. */
uint64_t log_source_number(const struct log_source *s);
const char *log_source_file(const struct log_source *s);
/* A file could not be read to its end, which was logged. */
bool log_source_failed(const struct log_source *s);

#endif
