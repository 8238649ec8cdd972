/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The older asynchronous interface of Linux, through libaio. It is only asynchronous with
 * --file-extra-flags=direct. */
#include "workloads/builtins/fileio/fileio_ring.h"

#include <errno.h>
#include <libaio.h>

#include "base/util.h"

static void *create(unsigned depth);
static void destroy(void *ring);
static int submit(void *ring, struct fileio_transfer *transfer);
static struct fileio_transfer *reap(void *ring, bool wait);

const struct fileio_ring_ops fileio_libaio = {
    .name = "libaio", .create = create, .destroy = destroy, .submit = submit, .reap = reap};

_Static_assert(sizeof(struct iocb) <= sizeof(((struct fileio_transfer *)0)->control),
               "libaio's control block fits");

static void *create(unsigned depth)
{
    io_context_t context = NULL;
    int rc = io_setup((int)depth, &context);
    if (rc == 0)
        return context;
    errno = -rc;
    return NULL;
}

static void destroy(void *ring)
{
    io_destroy(ring);
}

static void prepare(struct iocb *iocb, const struct fileio_transfer *t)
{
    if (t->kind == FILEIO_READ)
        io_prep_pread(iocb, t->fd, t->data, (size_t)t->bytes, t->offset);
    else if (t->kind == FILEIO_WRITE)
        io_prep_pwrite(iocb, t->fd, t->data, (size_t)t->bytes, t->offset);
    else
        io_prep_fsync(iocb, t->fd);
    if (t->kind == FILEIO_FSYNC && t->fdatasync)
        iocb->aio_lio_opcode = IO_CMD_FDSYNC;
}

static int submit(void *ring, struct fileio_transfer *transfer)
{
    struct iocb *iocb = (struct iocb *)transfer->control;
    prepare(iocb, transfer);
    iocb->data = transfer;
    int rc;
    do
        rc = io_submit(ring, 1, &iocb);
    while (rc == -EINTR || rc == -EAGAIN);
    return rc < 0 ? -rc : 0;
}

static struct fileio_transfer *reap(void *ring, bool wait)
{
    struct io_event event;
    struct timespec at_once = {0};
    int rc;
    do
        rc = io_getevents(ring, wait ? 1 : 0, 1, &event, wait ? NULL : &at_once);
    while (rc == -EINTR);
    if (rc != 1) {
        errno = rc < 0 ? -rc : EAGAIN;
        return NULL;
    }
    struct fileio_transfer *transfer = event.data;
    transfer->result = (int64_t)event.res;
    return transfer;
}
