/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the lines of a log, from one file or from several that follow each other, plain or
 * compressed (log_stream.h). A byte order mark at the start of a file is skipped. */
#ifndef LOG_SOURCE_H
#define LOG_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines that are longer are cut, unless log_source_line_limit() sets another limit. */
#define LOG_LINE_BYTES ((size_t)64 << 20)

struct log_source;

/* Opens a log. `files` has the names of files, separated by commas, the oldest first. Returns NULL
 * after a logged message. */
struct log_source *log_source_open(const char *files);
/* Opens a log of which only the first lines are looked at: no message if it cannot be read on, and
 * no stop between its files. */
struct log_source *log_source_open_to_look(const char *files);
/* `s` may be NULL. */
void log_source_close(struct log_source *s);

/*
 * Reads the next line, in which a NUL replaces the line end. The line is valid until the next call.
 * Returns false if there is no further line or a file could not be read on, and once between two
 * files.
 */
bool log_source_line(struct log_source *s, char **line, size_t *length);
/* Returns true if log_source_line() has stopped between two files: the next call reads on. */
bool log_source_at_border(const struct log_source *s);
/* Returns true if the last line was longer than allowed: the rest of it was read and is lost. */
bool log_source_cut(const struct log_source *s);
/* Returns true if the last line had no line end: its file was cut off or is still being written. */
bool log_source_unended(const struct log_source *s);
/* Sets the limit at which lines are cut, in bytes. */
void log_source_line_limit(struct log_source *s, size_t bytes);
/* Number of bytes read from all files (after decompression), and the largest number to be read. */
uint64_t log_source_bytes(const struct log_source *s);
void log_source_limit(struct log_source *s, uint64_t bytes);
uint64_t log_source_most(const struct log_source *s);
/* Number of the last line in its file, from 1 on, and the name of that file. */
uint64_t log_source_number(const struct log_source *s);
const char *log_source_file(const struct log_source *s);
/* Returns true if a file could not be read to its end, which was logged. */
bool log_source_failed(const struct log_source *s);

#endif
