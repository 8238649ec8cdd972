/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/builtins/fileio/fileio.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "engine/worker.h"
#include "engine/worker_api.h"
#include "workloads/builtins/fileio/fileio_block.h"
#include "workloads/builtins/fileio/fileio_order.h"
#include "workloads/builtins/fileio/fileio_ring.h"

/* Memory for one request. */
struct slot {
    /* The rest to be transferred; with --file-fsync-all, the fsync after a write. This is the
     * first member, because the ring returns a pointer to it. */
    struct fileio_transfer transfer;
    struct fileio_request request;
    struct worker_request event;
    uint8_t *read_buffer, *write_buffer;
};

/* All requests of one worker. */
struct backlog {
    struct builtin_thread *thread;
    const struct fileio_ring_ops *ops;
    void *ring;
    struct slot *slots;
    struct slot **idle; /* slots that are not in flight */
    unsigned idle_count, count;
    bool failed;
};

int fileio_async_begin(struct fileio *fileio)
{
    char reasons[256] = "";
    for (const struct fileio_ring_ops *const *ring = fileio_rings; *ring != NULL; ring++) {
        void *probe = (*ring)->create((unsigned)fileio->backlog);
        if (probe != NULL) {
            (*ring)->destroy(probe);
            fileio->ring = *ring;
            return 0;
        }
        size_t length = strlen(reasons);
        snprintf(reasons + length, sizeof(reasons) - length, "; %s: %s", (*ring)->name,
                 strerror(errno));
    }
    log_text(LOG_FATAL, "--file-io-mode=async is not possible here%s",
             reasons[0] != '\0' ? reasons : ": the program was built without liburing and libaio");
    return -1;
}

static int init(struct backlog *backlog, struct builtin_thread *thread)
{
    const struct fileio *fileio = thread->test;
    const struct fileio_thread *state = thread->state;
    unsigned count = (unsigned)fileio->backlog;
    *backlog = (struct backlog){.thread = thread, .ops = fileio->ring, .count = count};
    backlog->ring = backlog->ops->create(count);
    if (backlog->ring == NULL) {
        log_errno(LOG_FATAL, "cannot create a ring of %s for %u requests", backlog->ops->name,
                  count);
        return -1;
    }
    backlog->slots = xcalloc(count, sizeof(*backlog->slots));
    backlog->idle = xcalloc(count, sizeof(struct slot *));
    for (unsigned i = 0; i < count; i++) {
        struct slot *slot = &backlog->slots[i];
        slot->read_buffer = fileio_buffer(fileio->group_bytes);
        slot->write_buffer = fileio_buffer(fileio->group_bytes);
        memcpy(slot->write_buffer, state->write_buffer, (size_t)fileio->group_bytes);
        backlog->idle[backlog->idle_count++] = slot;
    }
    return 0;
}

static bool in_flight(const struct backlog *backlog)
{
    return backlog->idle_count < backlog->count;
}

/* After a failed wait, the kernel may still use the buffers of requests in flight. Their buffers
 * and slots are not freed. */
static void fini(struct backlog *backlog)
{
    backlog->ops->destroy(backlog->ring);
    free(backlog->idle);
    if (in_flight(backlog))
        return;
    for (unsigned i = 0; i < backlog->count; i++) {
        free(backlog->slots[i].read_buffer);
        free(backlog->slots[i].write_buffer);
    }
    free(backlog->slots);
}

/* Ends the event of the slot, which must be the current event of the worker. */
static void finish(struct backlog *backlog, struct slot *slot, bool good)
{
    struct fileio *fileio = backlog->thread->test;
    fileio_release(fileio, &slot->request);
    worker_finish(good);
    backlog->idle[backlog->idle_count++] = slot;
    backlog->failed = backlog->failed || !good;
}

static int submit(struct backlog *backlog, struct slot *slot)
{
    int error = backlog->ops->submit(backlog->ring, &slot->transfer);
    return error == 0 ? 0 : fileio_log_failure(&slot->request, 0, error);
}

/* Subtracts what was transferred from the request. If nothing remains, checks and counts the
 * request. */
static int take_result(struct backlog *backlog, struct slot *slot)
{
    struct fileio_transfer *t = &slot->transfer;
    struct fileio_request request = slot->request;
    request.kind = t->kind;
    if (t->result < 0 || (t->result == 0 && t->bytes > 0))
        return fileio_log_failure(&request, request.bytes - t->bytes,
                                  t->result < 0 ? (int)-t->result : 0);
    t->data = (uint8_t *)t->data + t->result;
    t->offset += t->result;
    t->bytes -= t->result;
    if (t->bytes > 0)
        return 0;
    if (fileio_check(backlog->thread->test, &request, slot->read_buffer) != 0)
        return -1;
    fileio_count(backlog->thread, &request);
    return 0;
}

/* Returns true if the request is not complete: the rest of a short transfer, or the fsync after a
 * write, must be submitted. */
static bool goes_on(struct backlog *backlog, struct slot *slot)
{
    const struct fileio *fileio = backlog->thread->test;
    if (slot->transfer.bytes > 0)
        return true;
    if (!fileio->fsync_all || slot->transfer.kind != FILEIO_WRITE)
        return false;
    slot->transfer.kind = FILEIO_FSYNC;
    return true;
}

static void complete(struct backlog *backlog, struct slot *slot)
{
    worker_resume(&slot->event);
    if (take_result(backlog, slot) != 0)
        finish(backlog, slot, false);
    else if (!goes_on(backlog, slot))
        finish(backlog, slot, true);
    else if (submit(backlog, slot) == 0)
        worker_detach(&slot->event);
    else
        finish(backlog, slot, false);
}

/* Completes all requests that the ring returns without waiting. */
static void reap(struct backlog *backlog)
{
    struct fileio_transfer *done;
    while ((done = backlog->ops->reap(backlog->ring, false)) != NULL)
        complete(backlog, (struct slot *)done);
}

/* Waits until the ring returns a request, and completes it. Returns −1 after logging a message if
 * waiting fails. */
static int wait_and_reap(struct backlog *backlog)
{
    struct fileio_transfer *done = backlog->ops->reap(backlog->ring, true);
    if (done != NULL) {
        complete(backlog, (struct slot *)done);
        reap(backlog);
        return 0;
    }
    log_errno(LOG_FATAL, "%s: cannot wait for requests", backlog->ops->name);
    backlog->failed = true;
    return -1;
}

static int start(struct backlog *backlog, struct slot *slot)
{
    struct fileio *fileio = backlog->thread->test;
    struct fileio_thread *state = backlog->thread->state;
    const struct fileio_request *r = &slot->request;
    if (r->kind == FILEIO_WRITE)
        fileio_stamp(slot->write_buffer, r->bytes, fileio->block_bytes, state->contents_sum,
                     r->file, r->offset);
    slot->transfer = (struct fileio_transfer){.kind = r->kind,
                                              .fd = fileio->fd[r->file],
                                              .fdatasync = fileio->fdatasync,
                                              .data = r->kind == FILEIO_READ ? slot->read_buffer
                                                                             : slot->write_buffer,
                                              .offset = r->offset,
                                              .bytes = r->bytes};
    return submit(backlog, slot);
}

/* Starts the event that the worker has just begun. It completes asynchronously. */
static int launch(struct backlog *backlog)
{
    struct fileio *fileio = backlog->thread->test;
    struct slot *slot = backlog->idle[--backlog->idle_count];
    slot->request = fileio_draw(backlog->thread);
    worker_detach(&slot->event);
    while (!fileio_claim(fileio, &slot->request)) {
        reap(backlog); /* one of our own requests may use this group */
        sched_yield();
        fileio_redraw(backlog->thread, &slot->request);
    }
    if (start(backlog, slot) == 0)
        return 0;
    worker_resume(&slot->event);
    finish(backlog, slot, false);
    return -1;
}

static void run(struct backlog *backlog)
{
    while (!backlog->failed) {
        bool full = backlog->idle_count == 0;
        if (full || (in_flight(backlog) && worker_would_wait())) {
            wait_and_reap(backlog);
            continue;
        }
        if (in_flight(backlog))
            reap(backlog);
        if (!worker_next() || launch(backlog) != 0)
            break;
    }
}

int fileio_async_loop(struct builtin_thread *thread)
{
    struct backlog backlog;
    if (init(&backlog, thread) != 0)
        return -1;
    run(&backlog);
    while (in_flight(&backlog) && wait_and_reap(&backlog) == 0)
        continue;
    int rc = backlog.failed ? -1 : 0;
    fini(&backlog);
    return rc;
}
