/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/builtins/fileio/fileio.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "workloads/builtins/fileio/fileio_block.h"

/* one page, enough for direct I/O on any device */
#define BUFFER_ALIGN 4096

bool fileio_writes(const struct fileio *fileio)
{
    return fileio->mode != FILEIO_SEQRD && fileio->mode != FILEIO_RNDRD;
}

struct fileio_text fileio_name(int64_t file)
{
    struct fileio_text name;
    snprintf(name.text, sizeof(name.text), "test_file.%" PRId64, file);
    return name;
}

struct fileio_text fileio_size_text(int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    unsigned unit = 0;
    while (size >= 1024 && unit + 1 < ARRAY_SIZE(units)) {
        size /= 1024;
        unit++;
    }
    struct fileio_text name;
    snprintf(name.text, sizeof(name.text), "%.5g%s", size, units[unit]);
    return name;
}

uint8_t *fileio_buffer(int64_t bytes)
{
    size_t rounded = ((size_t)bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    return memset(checked_alloc(aligned_alloc(BUFFER_ALIGN, rounded)), 0, rounded);
}

void fileio_count(struct builtin_thread *thread, const struct fileio_request *request)
{
    static const enum counter counters[] = {[FILEIO_READ] = COUNTER_READ,
                                            [FILEIO_WRITE] = COUNTER_WRITE,
                                            [FILEIO_FSYNC] = COUNTER_OTHER};
    struct stats_thread *stats = thread->worker->stats;
    stats_count(stats, counters[request->kind], 1);
    if (request->kind != FILEIO_FSYNC)
        stats_count(stats,
                    request->kind == FILEIO_READ ? COUNTER_BYTES_READ : COUNTER_BYTES_WRITTEN,
                    (uint64_t)request->bytes);
}

int fileio_log_failure(const struct fileio_request *request, int64_t done, int error)
{
    static const char *const verbs[] = {[FILEIO_READ] = "read", [FILEIO_WRITE] = "write"};
    const struct fileio_text file = fileio_name(request->file);
    const char *name = file.text;
    if (request->kind == FILEIO_FSYNC)
        log_text(LOG_FATAL, "cannot sync file '%s': %s", name, strerror(error));
    else if (error != 0)
        log_text(LOG_FATAL, "cannot %s %" PRId64 " bytes at offset %" PRId64 " of file '%s': %s",
                 verbs[request->kind], request->bytes, request->offset, name, strerror(error));
    else
        log_text(LOG_FATAL,
                 "file '%s' ends at offset %" PRId64 ", where %" PRId64
                 " bytes were expected: it was truncated during the run",
                 name, request->offset + done, request->bytes - done);
    return -1;
}

int fileio_check(const struct fileio *fileio, const struct fileio_request *request,
                 const uint8_t *data)
{
    if (!fileio->validate || request->kind != FILEIO_READ)
        return 0;
    int64_t at = fileio_find_damage(data, request->bytes, fileio->block_bytes, request->file,
                                    request->offset);
    if (at < 0)
        return 0;
    log_text(LOG_FATAL,
             "Validation failed on file '%s', block offset %" PRId64
             ": not what was written there (by a prepare with the same --file-block-size?)",
             fileio_name(request->file).text, request->offset + at);
    return -1;
}
