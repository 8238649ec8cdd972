/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fileio: what its files share. fileio_test.c has the options and the run; an event is drawn by
 * fileio_order.c and executed by fileio_sync.c or fileio_async.c.
 */
#ifndef BUILTINS_FILEIO_H
#define BUILTINS_FILEIO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/builtins/builtin.h"

enum fileio_mode {
    FILEIO_SEQWR,
    FILEIO_SEQREWR,
    FILEIO_SEQRD,
    FILEIO_RNDRD,
    FILEIO_RNDWR,
    FILEIO_RNDRW
};
enum fileio_io { FILEIO_SYNC, FILEIO_ASYNC, FILEIO_MMAP };
enum fileio_kind { FILEIO_READ, FILEIO_WRITE, FILEIO_FSYNC };

struct fileio_ring_ops;

/* The test. */
struct fileio {
    /* From the options. */
    int64_t num, block_bytes, total_bytes, backlog, fsync_freq, merged;
    const char *mode_name; /* NULL: not given */
    bool fsync_all, fsync_end;
    double rw_ratio;
    bool flag_sync, flag_dsync, flag_direct;
    const struct settings *settings;
    enum fileio_io io;
    bool fdatasync;
    bool validate;
    int64_t file_bytes; /* of each file */

    /* Of a run. */
    enum fileio_mode mode;
    int64_t group_bytes;                /* of a request: a block, or several merged */
    int64_t groups_per_file;            /* the last one of a file may be shorter */
    int *fd;                            /* of each file; −1: not open */
    uint8_t **map;                      /* of each file (mmap); else NULL */
    const struct fileio_ring_ops *ring; /* async */
    _Atomic uint64_t next;              /* events drawn so far */
    atomic_uchar *busy;                 /* --validate: of each group, whether a request uses it and
                                           nobody else may read or write it; else NULL */
    _Atomic int64_t active;             /* workers that have not left their loop */
    unsigned end_fsyncs;                /* how many followed the last event */
    int64_t end_fsync_ns;               /* how long they took together */
};

/* One request: what an event does. */
struct fileio_request {
    enum fileio_kind kind;
    int64_t file;
    int64_t offset, bytes; /* not of an fsync */
    int64_t group;         /* number of the group in all files; not of an fsync */
};

/* A worker's part. */
struct fileio_thread {
    uint8_t *write_buffer; /* a group of blocks with contents (fileio_block.h) */
    uint8_t *read_buffer;
    uint64_t contents_sum; /* of those contents */
};

/* Whether the mode has events that write. */
bool fileio_writes(const struct fileio *fileio);

struct fileio_text {
    char text[32];
};
/* "test_file.7" */
struct fileio_text fileio_name(int64_t file);
/* "16KiB", "682.67KiB" */
struct fileio_text fileio_size_text(int64_t bytes);

/* Zeroed memory that any file's direct I/O can use; to be freed. */
uint8_t *fileio_buffer(int64_t bytes);

/* Counts what was done: a read, a write or an fsync, and its bytes. */
void fileio_count(struct builtin_thread *thread, const struct fileio_request *request);
/* Checks what was read, where that is asked for. −1 logged. */
int fileio_check(const struct fileio *fileio, const struct fileio_request *request,
                 const uint8_t *data);
/*
 * Logs why a request failed after `done` of its bytes: `error` is an errno, or 0 when the file
 * ended there. Returns −1.
 */
int fileio_log_failure(const struct fileio_request *request, int64_t done, int error);

#endif
