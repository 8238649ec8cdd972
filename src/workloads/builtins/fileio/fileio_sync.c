/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/builtins/fileio/fileio.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/worker_api.h"
#include "workloads/builtins/fileio/fileio_block.h"
#include "workloads/builtins/fileio/fileio_order.h"

int fileio_fsync(const struct fileio *fileio, int64_t file)
{
    int rc;
    if (fileio->map != NULL)
        rc = msync(fileio->map[file], (size_t)fileio->file_bytes, MS_SYNC);
    else
        rc = fileio->fdatasync ? fdatasync(fileio->fd[file]) : fsync(fileio->fd[file]);
    struct fileio_request request = {.kind = FILEIO_FSYNC, .file = file};
    return rc == 0 ? 0 : fileio_log_failure(&request, 0, errno);
}

/* Transfers the whole request, with several calls if needed. */
static int transfer(const struct fileio *fileio, const struct fileio_request *request,
                    uint8_t *data)
{
    for (int64_t done = 0; done < request->bytes;) {
        int fd = fileio->fd[request->file];
        size_t bytes = (size_t)(request->bytes - done);
        ssize_t n = request->kind == FILEIO_READ
                        ? pread(fd, data + done, bytes, request->offset + done)
                        : pwrite(fd, data + done, bytes, request->offset + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fileio_log_failure(request, done, n < 0 ? errno : 0);
        done += n;
    }
    return 0;
}

static int copy_mapped_block(const struct fileio *fileio, const struct fileio_request *request,
                             uint8_t *data)
{
    uint8_t *place_in_file = fileio->map[request->file] + request->offset;
    if (request->kind == FILEIO_READ)
        memcpy(data, place_in_file, (size_t)request->bytes);
    else
        memcpy(place_in_file, data, (size_t)request->bytes);
    return 0;
}

static int execute(struct builtin_thread *thread, const struct fileio_request *request)
{
    struct fileio *fileio = thread->test;
    struct fileio_thread *state = thread->state;
    if (request->kind == FILEIO_FSYNC)
        return fileio_fsync(fileio, request->file);
    uint8_t *data = request->kind == FILEIO_READ ? state->read_buffer : state->write_buffer;
    if (request->kind == FILEIO_WRITE)
        fileio_stamp(data, request->bytes, fileio->block_bytes, state->contents_sum, request->file,
                     request->offset);
    if ((fileio->map != NULL ? copy_mapped_block(fileio, request, data)
                             : transfer(fileio, request, data)) != 0)
        return -1;
    return fileio_check(fileio, request, data);
}

static int sync_after_write(struct builtin_thread *thread, const struct fileio_request *request)
{
    struct fileio *fileio = thread->test;
    if (!fileio->fsync_all || request->kind != FILEIO_WRITE)
        return 0;
    struct fileio_request sync = {.kind = FILEIO_FSYNC, .file = request->file};
    if (fileio_fsync(fileio, sync.file) != 0)
        return -1;
    fileio_count(thread, &sync);
    return 0;
}

static int event(struct builtin_thread *thread)
{
    struct fileio *fileio = thread->test;
    struct fileio_request request = fileio_draw(thread);
    while (!fileio_claim(fileio, &request)) {
        sched_yield();
        fileio_redraw(thread, &request);
    }
    int rc = execute(thread, &request);
    fileio_release(fileio, &request);
    if (rc != 0)
        return rc;
    fileio_count(thread, &request);
    return sync_after_write(thread, &request);
}

int fileio_sync_loop(struct builtin_thread *thread)
{
    while (worker_next())
        if (event(thread) != 0)
            return -1;
    return 0;
}
