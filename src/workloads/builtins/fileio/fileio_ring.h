/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's interfaces for asynchronous I/O, as much of them as fileio needs. */
#ifndef BUILTINS_FILEIO_RING_H
#define BUILTINS_FILEIO_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/builtins/fileio/fileio.h"

/* One transfer. Belongs to the ring from submit() until reap() returns it. */
struct fileio_transfer {
    enum fileio_kind kind;
    int fd;
    bool fdatasync; /* FSYNC: of the data only */
    void *data;
    int64_t offset, bytes;
    int64_t result; /* bytes, or −errno; set by reap(). May be fewer bytes than asked for, as of
                       pread(): the kernel moves less than 2 GiB at once */
    uint64_t control[8]; /* for the ring's own use: libaio's control block */
};

/* A ring belongs to one thread. */
struct fileio_ring_ops {
    const char *name;
    int files; /* that a ring keeps open */
    /* Room for `depth` transfers. NULL with errno when the kernel refuses. */
    void *(*create)(unsigned depth);
    /* Transfers in flight are given up; the kernel may still use their memory afterwards. */
    void (*destroy)(void *ring);
    /* 0, or an errno. */
    int (*submit)(void *ring, struct fileio_transfer *transfer);
    /* A transfer that has completed; NULL: there is none, or with `wait` an error (errno). */
    struct fileio_transfer *(*reap)(void *ring, bool wait);
};

/* Those compiled in, the preferred one first; NULL behind the last. */
extern const struct fileio_ring_ops *const fileio_rings[];

extern const struct fileio_ring_ops fileio_uring;
extern const struct fileio_ring_ops fileio_libaio;

#endif
