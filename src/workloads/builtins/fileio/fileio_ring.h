/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the asynchronous I/O interfaces of Linux that fileio needs. */
#ifndef BUILTINS_FILEIO_RING_H
#define BUILTINS_FILEIO_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/builtins/fileio/fileio.h"

/* One transfer. It belongs to the ring from submit() until reap() returns it. */
struct fileio_transfer {
    enum fileio_kind kind;
    int fd;
    bool fdatasync; /* for an fsync: sync the data only */
    void *data;
    int64_t offset, bytes;
    /* Set by reap(): number of bytes, or −errno. As with pread(), it may be smaller than `bytes`:
     * the kernel transfers less than 2 GiB at once. */
    int64_t result;
    uint64_t control[8]; /* used by the ring: libaio's control block */
};

/* A ring is used by one thread. */
struct fileio_ring_ops {
    const char *name;
    int files; /* number of descriptors that a ring keeps open */
    /* Creates a ring for `depth` transfers. Returns NULL and sets errno if the kernel refuses. */
    void *(*create)(unsigned depth);
    /* Abandons transfers in flight. The kernel may still use their memory afterwards. */
    void (*destroy)(void *ring);
    /* Returns 0 or an errno value. */
    int (*submit)(void *ring, struct fileio_transfer *transfer);
    /* Returns a completed transfer, or NULL if there is no completed transfer. With `wait`, NULL
     * means an error (errno). */
    struct fileio_transfer *(*reap)(void *ring, bool wait);
};

/* The rings of this build, the preferred one first. The last entry is NULL. */
extern const struct fileio_ring_ops *const fileio_rings[];

extern const struct fileio_ring_ops fileio_uring;
extern const struct fileio_ring_ops fileio_libaio;

#endif
