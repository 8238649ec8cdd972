/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/replay/log/log_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#endif

#include "base/util.h"

#define BUFFER_BYTES ((unsigned)256 << 10)

struct log_stream {
    gzFile plain; /* also reads files that are not compressed; NULL if `archive` reads the file */
    struct archive *archive;
};

/* Returns true if the file begins as those of bzip2, xz or zstd do. */
static bool needs_archive(int fd)
{
    static const char *const magic[] = {"BZh", "\3757zXZ", "\x28\xB5\x2F\xFD"};
    char head[8] = "";
    if (pread(fd, head, sizeof(head) - 1, 0) <= 0)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(magic); i++)
        if (strncmp(head, magic[i], strlen(magic[i])) == 0)
            return true;
    return false;
}

const char *log_stream_library(void)
{
#ifdef HAVE_LIBARCHIVE
    return archive_version_string();
#else
    return NULL;
#endif
}

#ifdef HAVE_LIBARCHIVE
static bool open_archive(struct log_stream *s, const char *path, const char **why)
{
    struct archive_entry *entry;
    s->archive = checked_alloc(archive_read_new());
    archive_read_support_filter_bzip2(s->archive);
    archive_read_support_filter_xz(s->archive);
    archive_read_support_filter_zstd(s->archive);
    archive_read_support_format_raw(s->archive);
    archive_read_support_format_empty(s->archive);
    if (archive_read_open_filename(s->archive, path, BUFFER_BYTES) == ARCHIVE_OK &&
        archive_read_next_header(s->archive, &entry) == ARCHIVE_OK)
        return true;
    *why = "its compressed data is damaged";
    return false;
}

static int read_archive(struct log_stream *s, void *buffer, size_t bytes)
{
    const la_ssize_t n = archive_read_data(s->archive, buffer, bytes);
    return n >= 0 ? (int)n : -1;
}
#else
static bool open_archive(struct log_stream *s, const char *path, const char **why)
{
    (void)s;
    (void)path;
    *why = "it is compressed with bzip2, xz or zstd, for which this build has no libarchive";
    return false;
}

static int read_archive(struct log_stream *s, void *buffer, size_t bytes)
{
    (void)s;
    (void)buffer;
    (void)bytes;
    return -1;
}
#endif

static bool open_with(struct log_stream *s, int fd, const char *path, const char **why)
{
    if (needs_archive(fd))
        return open_archive(s, path, why);
    s->plain = gzopen(path, "rb");
    if (s->plain != NULL) {
        gzbuffer(s->plain, BUFFER_BYTES);
        return true;
    }
    *why = strerror(errno);
    return false;
}

struct log_stream *log_stream_open(const char *path, const char **why)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        *why = strerror(errno);
        return NULL;
    }
    struct log_stream *s = xcalloc(1, sizeof(*s));
    const bool good = open_with(s, fd, path, why);
    close(fd);
    if (good)
        return s;
    log_stream_close(s);
    return NULL;
}

int log_stream_read(struct log_stream *s, void *buffer, size_t bytes)
{
    int code = Z_OK;
    if (s->plain == NULL)
        return read_archive(s, buffer, bytes);
    const int n = gzread(s->plain, buffer, (unsigned)bytes);
    if (n > 0)
        return n;
    /* A truncated gzip file yields its data first and then an error. */
    gzerror(s->plain, &code);
    return code != Z_OK && code != Z_STREAM_END ? -1 : 0;
}

const char *log_stream_error(struct log_stream *s)
{
    int code = Z_OK;
#ifdef HAVE_LIBARCHIVE
    if (s->archive != NULL)
        return archive_error_string(s->archive);
#endif
    const char *text = gzerror(s->plain, &code);
    return code == Z_ERRNO ? strerror(errno) : text;
}

void log_stream_close(struct log_stream *s)
{
    if (s == NULL)
        return;
    if (s->plain != NULL)
        gzclose(s->plain);
#ifdef HAVE_LIBARCHIVE
    archive_read_free(s->archive);
#endif
    free(s);
}
