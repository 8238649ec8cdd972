/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring, through liburing. */
#include "workloads/builtins/fileio/fileio_ring.h"

#include <errno.h>
#include <liburing.h>

#include "base/util.h"

/* Maximum number of bytes per transfer, because lengths are 32 bits wide here. The kernel transfers
 * less at once in any case. */
#define AT_ONCE_MAX ((int64_t)1 << 31)

static void *create(unsigned depth);
static void destroy(void *ring);
static int submit(void *ring, struct fileio_transfer *transfer);
static struct fileio_transfer *reap(void *ring, bool wait);

const struct fileio_ring_ops fileio_uring = {.name = "io_uring",
                                             .files = 1,
                                             .create = create,
                                             .destroy = destroy,
                                             .submit = submit,
                                             .reap = reap};

static void *create(unsigned depth)
{
    struct io_uring *ring = xcalloc(1, sizeof(*ring));
    int rc = io_uring_queue_init(depth, ring, 0);
    if (rc == 0)
        return ring;
    free(ring);
    errno = -rc;
    return NULL;
}

static void destroy(void *ring)
{
    io_uring_queue_exit(ring);
    free(ring);
}

static void prepare(struct io_uring_sqe *sqe, const struct fileio_transfer *t)
{
    unsigned bytes = (unsigned)min_i64(t->bytes, AT_ONCE_MAX);
    if (t->kind == FILEIO_READ)
        io_uring_prep_read(sqe, t->fd, t->data, bytes, (__u64)t->offset);
    else if (t->kind == FILEIO_WRITE)
        io_uring_prep_write(sqe, t->fd, t->data, bytes, (__u64)t->offset);
    else
        io_uring_prep_fsync(sqe, t->fd, t->fdatasync ? IORING_FSYNC_DATASYNC : 0);
}

static int submit(void *ring, struct fileio_transfer *transfer)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    if (sqe == NULL)
        return EBUSY;
    prepare(sqe, transfer);
    io_uring_sqe_set_data(sqe, transfer);
    int rc;
    do
        rc = io_uring_submit(ring);
    while (rc == -EINTR || rc == -EAGAIN);
    return rc < 0 ? -rc : 0;
}

static struct fileio_transfer *reap(void *ring, bool wait)
{
    struct io_uring_cqe *cqe;
    int rc;
    do
        rc = wait ? io_uring_wait_cqe(ring, &cqe) : io_uring_peek_cqe(ring, &cqe);
    while (rc == -EINTR);
    if (rc != 0) {
        errno = -rc;
        return NULL;
    }
    struct fileio_transfer *transfer = io_uring_cqe_get_data(cqe);
    transfer->result = cqe->res;
    io_uring_cqe_seen(ring, cqe);
    return transfer;
}
