/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builtins/fileio/fileio_async.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "builtins/fileio/fileio_block.h"
#include "builtins/fileio/fileio_order.h"
#include "builtins/fileio/fileio_ring.h"
#include "engine/worker.h"
#include "engine/worker_api.h"

/* One request in flight. */
struct flight {
    struct fileio_transfer transfer; /* first: the ring hands this back */
    struct fileio_request request;
    struct worker_request event;
    uint8_t *read_buffer, *write_buffer;
    bool syncing; /* --file-fsync-all: written, being synced */
};

struct airspace {
    struct builtin_thread *thread;
    const struct fileio_ring_ops *ops;
    void *ring;
    struct flight *flights;
    struct flight **idle; /* those that are not in flight */
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

static int init(struct airspace *air, struct builtin_thread *thread)
{
    const struct fileio *fileio = thread->test;
    const struct fileio_thread *state = thread->state;
    unsigned count = (unsigned)fileio->backlog;
    *air = (struct airspace){.thread = thread, .ops = fileio->ring, .count = count};
    air->ring = air->ops->create(count);
    if (air->ring == NULL) {
        log_errno(LOG_FATAL, "cannot create a ring of %s for %u requests", air->ops->name, count);
        return -1;
    }
    air->flights = xcalloc(count, sizeof(*air->flights));
    air->idle = xcalloc(count, sizeof(struct flight *));
    for (unsigned i = 0; i < count; i++) {
        struct flight *f = &air->flights[i];
        f->read_buffer = fileio_buffer(fileio->group_bytes);
        f->write_buffer = fileio_buffer(fileio->group_bytes);
        memcpy(f->write_buffer, state->write_buffer, (size_t)fileio->group_bytes);
        air->idle[air->idle_count++] = f;
    }
    return 0;
}

static void fini(struct airspace *air)
{
    for (unsigned i = 0; i < air->count; i++) {
        free(air->flights[i].read_buffer);
        free(air->flights[i].write_buffer);
    }
    free(air->flights);
    free(air->idle);
    air->ops->destroy(air->ring);
}

static bool in_flight(const struct airspace *air)
{
    return air->idle_count < air->count;
}

/* Completion. */

/* Ends the event in service, which is that of the flight. */
static void land(struct airspace *air, struct flight *f, bool good)
{
    struct fileio *fileio = air->thread->test;
    fileio_release(fileio, &f->request);
    worker_finish(good);
    air->idle[air->idle_count++] = f;
    air->failed = air->failed || !good;
}

static int submit_transfer(struct airspace *air, struct flight *f)
{
    int error = air->ops->submit(air->ring, &f->transfer);
    return error == 0 ? 0 : fileio_log_failure(&f->request, 0, error);
}

/* Whether the flight goes on: what was written has to be synced, too. */
static bool goes_on(struct airspace *air, struct flight *f)
{
    const struct fileio *fileio = air->thread->test;
    if (!fileio->fsync_all || f->syncing || f->request.kind != FILEIO_WRITE)
        return false;
    f->syncing = true;
    f->transfer.kind = FILEIO_FSYNC;
    return true;
}

static int check_result(struct airspace *air, const struct flight *f)
{
    struct fileio_request request = f->request;
    request.kind = f->transfer.kind;
    if (f->transfer.result < 0)
        return fileio_log_failure(&request, 0, (int)-f->transfer.result);
    if (request.kind != FILEIO_FSYNC && f->transfer.result != request.bytes)
        return fileio_log_failure(&request, f->transfer.result,
                                  request.kind == FILEIO_WRITE ? ENOSPC : 0);
    return fileio_check(air->thread->test, &request, f->read_buffer);
}

static void complete(struct airspace *air, struct flight *f)
{
    worker_resume(&f->event);
    if (check_result(air, f) != 0) {
        land(air, f, false);
        return;
    }
    struct fileio_request done = {.kind = f->transfer.kind, .bytes = f->request.bytes};
    fileio_count(air->thread, &done);
    if (!goes_on(air, f))
        land(air, f, true);
    else if (submit_transfer(air, f) == 0)
        worker_detach(&f->event);
    else
        land(air, f, false);
}

/* Takes what has completed from the ring; with `wait`, at least one. */
static int reap(struct airspace *air, bool wait)
{
    struct fileio_transfer *done;
    while ((done = air->ops->reap(air->ring, wait)) != NULL) {
        complete(air, (struct flight *)done);
        wait = false;
    }
    if (!wait)
        return 0;
    log_errno(LOG_FATAL, "%s: cannot wait for requests", air->ops->name);
    air->failed = true;
    return -1;
}

/* Submission. */

static int take_off(struct airspace *air, struct flight *f)
{
    struct fileio *fileio = air->thread->test;
    struct fileio_thread *state = air->thread->state;
    const struct fileio_request *r = &f->request;
    f->syncing = false;
    if (r->kind == FILEIO_WRITE)
        fileio_stamp(f->write_buffer, r->bytes, fileio->block_bytes, state->contents_sum, r->file,
                     r->offset);
    f->transfer =
        (struct fileio_transfer){.kind = r->kind,
                                 .fd = fileio->fd[r->file],
                                 .fdatasync = fileio->fdatasync,
                                 .data = r->kind == FILEIO_READ ? f->read_buffer : f->write_buffer,
                                 .offset = r->offset,
                                 .bytes = r->bytes};
    return submit_transfer(air, f);
}

/* Executes the event that the worker has just begun: it goes on by itself from here. */
static int launch(struct airspace *air)
{
    struct fileio *fileio = air->thread->test;
    struct flight *f = air->idle[--air->idle_count];
    f->request = fileio_draw(air->thread);
    worker_detach(&f->event);
    while (!fileio_claim(fileio, &f->request)) {
        /* Perhaps it is one of our own. This one is not in flight yet. */
        if (air->idle_count + 1 < air->count && reap(air, false) != 0)
            break;
        sched_yield();
        fileio_redraw(air->thread, &f->request);
    }
    if (take_off(air, f) == 0)
        return 0;
    worker_resume(&f->event);
    land(air, f, false);
    return -1;
}

static void run(struct airspace *air)
{
    while (!air->failed) {
        bool full = air->idle_count == 0;
        if (full || (in_flight(air) && worker_would_wait())) {
            reap(air, true);
            continue;
        }
        if (in_flight(air))
            reap(air, false);
        if (!worker_next() || launch(air) != 0)
            break;
    }
}

int fileio_async_loop(struct builtin_thread *thread)
{
    struct airspace air;
    if (init(&air, thread) != 0)
        return -1;
    run(&air);
    while (in_flight(&air) && reap(&air, true) == 0)
        continue;
    int rc = air.failed ? -1 : 0;
    fini(&air);
    return rc;
}
