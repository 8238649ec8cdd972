/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the next event and its position in the files. */
#include "workloads/builtins/fileio/fileio_order.h"

#include "base/util.h"

static bool is_random(const struct fileio *fileio)
{
    return fileio->mode >= FILEIO_RNDRD;
}

void fileio_size_groups(struct fileio *fileio)
{
    int64_t blocks = fileio->file_bytes / fileio->block_bytes;
    int64_t merged = is_random(fileio) ? 1 : min_i64(blocks, max_i64(1, fileio->merged));
    fileio->group_bytes = merged * fileio->block_bytes;
    fileio->groups_per_file = (blocks + merged - 1) / merged;
}

uint64_t fileio_all_groups(const struct fileio *fileio)
{
    return (uint64_t)(fileio->groups_per_file * fileio->num);
}

bool fileio_has_fsync_turns(const struct fileio *fileio)
{
    return fileio->fsync_freq > 0 && !fileio->fsync_all && fileio_writes(fileio);
}

static enum fileio_kind kind_of(const struct fileio *fileio, uint64_t index)
{
    if (fileio->mode != FILEIO_RNDRW)
        return fileio_writes(fileio) ? FILEIO_WRITE : FILEIO_READ;
    /* Reads are spread evenly, so that any sequence of events has the ratio. */
    double reads = fileio->rw_ratio / (1 + fileio->rw_ratio);
    return (uint64_t)((double)(index + 1) * reads) > (uint64_t)((double)index * reads)
               ? FILEIO_READ
               : FILEIO_WRITE;
}

static void place(const struct fileio *fileio, struct fileio_request *request, int64_t group)
{
    int64_t blocks_bytes = fileio->file_bytes / fileio->block_bytes * fileio->block_bytes;
    request->group = group;
    request->file = group / fileio->groups_per_file;
    request->offset = group % fileio->groups_per_file * fileio->group_bytes;
    request->bytes = min_i64(fileio->group_bytes, blocks_bytes - request->offset);
}

void fileio_redraw(struct builtin_thread *thread, struct fileio_request *request)
{
    const struct fileio *fileio = thread->test;
    if (is_random(fileio))
        place(fileio, request,
              (int64_t)rand_default(thread->worker->rand, 0,
                                    (double)(fileio_all_groups(fileio) - 1)));
}

struct fileio_request fileio_draw(struct builtin_thread *thread)
{
    struct fileio *fileio = thread->test;
    struct fileio_request request = {0};
    uint64_t index = atomic_fetch_add_explicit(&fileio->next, 1, memory_order_relaxed);
    if (fileio_has_fsync_turns(fileio)) {
        uint64_t freq = (uint64_t)fileio->fsync_freq, turn = freq + (uint64_t)fileio->num;
        if (index % turn >= freq) {
            request.kind = FILEIO_FSYNC;
            request.file = (int64_t)(index % turn - freq);
            return request;
        }
        index = index / turn * freq + index % turn;
    }
    request.kind = kind_of(fileio, index);
    if (is_random(fileio))
        fileio_redraw(thread, &request);
    else
        place(fileio, &request, (int64_t)(index % fileio_all_groups(fileio)));
    return request;
}

bool fileio_claim(struct fileio *fileio, const struct fileio_request *request)
{
    return fileio->busy == NULL || request->kind == FILEIO_FSYNC ||
           atomic_exchange(&fileio->busy[request->group], 1) == 0;
}

void fileio_release(struct fileio *fileio, const struct fileio_request *request)
{
    if (fileio->busy != NULL && request->kind != FILEIO_FSYNC)
        atomic_store(&fileio->busy[request->group], 0);
}
