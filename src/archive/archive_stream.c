/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <zlib.h>

#include "archive/archive_store.h"
#include "base/log.h"
#include "base/util.h"

#define PACKED_BYTES 65536

struct archive_stream {
    int64_t id;
    int at, packed_bytes; /* position in the compressed report, and its length */
    bool end;
    z_stream inflate;
    unsigned char packed[PACKED_BYTES];
};

struct archive_stream *archive_stream_open(struct archive *archive, int64_t id, int64_t *bytes)
{
    sqlite3_stmt *row =
        archive_prepare(archive, "SELECT bytes, length(packed) FROM reports WHERE run = ?");
    struct archive_stream *stream = NULL;
    sqlite3_bind_int64(row, 1, id);
    const int code = row != NULL ? sqlite3_step(row) : SQLITE_ERROR;
    if (code == SQLITE_ROW) {
        stream = xcalloc(1, sizeof(*stream));
        stream->id = id;
        stream->packed_bytes = sqlite3_column_int(row, 1);
        *bytes = sqlite3_column_int64(row, 0);
        if (inflateInit(&stream->inflate) != Z_OK)
            checked_alloc(NULL);
    } else if (code == SQLITE_DONE) {
        log_text(LOG_FATAL, "archive '%s': there is no run %lld", archive->path, (long long)id);
    } else if (row != NULL) {
        archive_failed(archive);
    }
    sqlite3_finalize(row);
    return stream;
}

/* Reads the next compressed bytes. Returns −1 after a logged message. */
static int fill(struct archive_stream *stream, struct archive *archive)
{
    sqlite3_blob *blob = NULL;
    const int rest = stream->packed_bytes - stream->at;
    const int count = rest < PACKED_BYTES ? rest : PACKED_BYTES;
    int code = sqlite3_blob_open(archive->db, "main", "reports", "packed", stream->id, 0, &blob);
    if (code == SQLITE_OK)
        code = sqlite3_blob_read(blob, stream->packed, count, stream->at);
    const int status = code == SQLITE_OK ? 0 : archive_failed(archive);
    sqlite3_blob_close(blob);
    stream->at += count;
    stream->inflate.next_in = stream->packed;
    stream->inflate.avail_in = (unsigned)count;
    return status;
}

int64_t archive_stream_read(struct archive_stream *stream, struct archive *archive, char *text,
                            size_t room)
{
    z_stream *z = &stream->inflate;
    z->next_out = (unsigned char *)text;
    z->avail_out = (unsigned)room;
    while (z->avail_out > 0 && !stream->end) {
        if (z->avail_in == 0 && fill(stream, archive) != 0)
            return -1;
        const int code = inflate(z, Z_NO_FLUSH);
        stream->end = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END) {
            log_text(LOG_FATAL, "archive '%s': the report of run %lld is damaged", archive->path,
                     (long long)stream->id);
            return -1;
        }
    }
    return (int64_t)(room - z->avail_out);
}

void archive_stream_close(struct archive_stream *stream)
{
    if (stream == NULL)
        return;
    inflateEnd(&stream->inflate);
    free(stream);
}
