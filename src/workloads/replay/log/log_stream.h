/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the bytes of a file, plain or compressed: by zlib (gzip) or, if this build has it, by
 * libarchive (bzip2, xz, zstd). */
#ifndef LOG_STREAM_H
#define LOG_STREAM_H

#include <stddef.h>

struct log_stream;

/* Returns the library that reads bzip2, xz and zstd, with its version; NULL if this build has none. The
 * text is constant. */
const char *log_stream_library(void);
/* Returns NULL if the file cannot be read; *why is the reason. */
struct log_stream *log_stream_open(const char *path, const char **why);
/* Returns the number of bytes read, 0 at the end of the file, and −1 after an error. A file that
 * was cut off yields its data before the error. */
int log_stream_read(struct log_stream *s, void *buffer, size_t bytes);
/* Describes the last error. */
const char *log_stream_error(struct log_stream *s);
/* `s` may be NULL. */
void log_stream_close(struct log_stream *s);

#endif
