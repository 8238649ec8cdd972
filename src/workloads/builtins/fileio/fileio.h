/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State shared by the files of the test `fileio`. fileio_test.c has the options and the run.
 * fileio_order.c chooses the events, fileio_sync.c or fileio_async.c executes them. */
#ifndef BUILTINS_FILEIO_H
#define BUILTINS_FILEIO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

/* State of the test. */
struct fileio {
    /* Values of the options. */
    int64_t num, block_bytes, total_bytes, backlog, fsync_freq, merged;
    const char *mode_name; /* NULL if not given */
    bool fsync_all, fsync_end;
    double rw_ratio;
    bool flag_sync, flag_dsync, flag_direct;
    const struct settings *settings;
    enum fileio_io io;
    bool fdatasync;
    bool validate;
    int64_t file_bytes; /* size of each file */

    /* State of a run. */
    enum fileio_mode mode;
    int64_t group_bytes; /* bytes of a request: one block, or several merged blocks */
    int64_t groups_per_file; /* requests per file; the last one of a file may be shorter */
    int *fd;                            /* descriptor of each file; −1 if not open */
    uint8_t **map;                      /* mapping of each file (mmap); otherwise NULL */
    const struct fileio_ring_ops *ring; /* for async */
    _Atomic uint64_t next;              /* number of events drawn */
    /* with --validate, true for each group in use by a request; otherwise NULL */
    atomic_uchar *busy;
    _Atomic int64_t active; /* number of workers that have not left their loop */
    unsigned end_fsyncs;    /* number of fsyncs after the last event */
    int64_t end_fsync_ns;   /* total time of these fsyncs */
};

/* One request, which is the work of one event. */
struct fileio_request {
    enum fileio_kind kind;
    int64_t file;
    int64_t offset, bytes; /* unused for an fsync */
    int64_t group;         /* number of the group in all files; unused for an fsync */
};

/* State of a worker. */
struct fileio_thread {
    uint8_t *write_buffer; /* a group of blocks with contents (fileio_block.h) */
    uint8_t *read_buffer;
    uint64_t contents_sum; /* checksum of the contents */
};

/* Returns true if some events of the mode write. */
bool fileio_writes(const struct fileio *fileio);

struct fileio_text {
    char text[32];
};
/* Returns for example "test_file.7". */
struct fileio_text fileio_name(int64_t file);
/* Returns for example "16KiB" or "682.67KiB". */
struct fileio_text fileio_size_text(int64_t bytes);

/* Returns zeroed memory, aligned for direct I/O on any file. The caller frees it. */
uint8_t *fileio_buffer(int64_t bytes);

/* Counts a completed read, write or fsync, and its bytes. */
void fileio_count(struct builtin_thread *thread, const struct fileio_request *request);
/* With --validate, checks the data that was read. Returns −1 after logging a message. */
int fileio_check(const struct fileio *fileio, const struct fileio_request *request,
                 const uint8_t *data);
/* Logs why a request failed after `done` of its bytes were transferred. `error` is an errno value,
 * or 0 if the file ended there. Always returns −1. */
int fileio_log_failure(const struct fileio_request *request, int64_t done, int error);

/* fileio_files.c: the test files in the current folder. */

/* The commands, as operations of the test (`test` is a struct fileio). Return −1 after logging a
 * message. */
int fileio_prepare(void *test);
int fileio_cleanup(void *test);

/* Opens, checks and maps all files. Returns −1 after logging a message. fileio_close_all() must be
 * called in both cases. */
int fileio_open_all(struct fileio *fileio);
/* Does nothing if fileio_open_all() was not called. */
void fileio_close_all(struct fileio *fileio);

/*
 * After a run: returns −1 after logging a message if a file was removed or replaced during the run.
 */
int fileio_check_names(const struct fileio *fileio);
/* For runs with --validate: reads and checks all blocks of all files. Returns −1 after logging a
 * message. */
int fileio_verify_all(const struct fileio *fileio);

/* fileio_sync.c: requests by blocking system calls, or in mapped files. */

/* Executes all events of a worker, one after the other. Returns −1 after logging a message. */
int fileio_sync_loop(struct builtin_thread *thread);

/*
 * Returns when the data of file number `file` is on its device. Returns −1 after logging a message.
 */
int fileio_fsync(const struct fileio *fileio, int64_t file);

/* fileio_async.c: each worker has a ring with up to --file-async-backlog requests in flight. Each
 * request is an event, which ends when its completion is taken from the ring. */

/* Before the run: chooses the first kind of ring that the kernel supports. Returns −1 after logging
 * a message. */
int fileio_async_begin(struct fileio *fileio);

/* Executes all events of a worker. Returns −1 after logging a message. */
int fileio_async_loop(struct builtin_thread *thread);

/* fileio_report.c: output of the test. `test` is a struct fileio. */

/* Prints the line about --file-extra-flags. */
void fileio_print_flags(const struct fileio *fileio, FILE *out);

/* Operations of the test (builtin.h). */
void fileio_print_mode(const void *test, FILE *out);
void fileio_interval_figures(void *test, FILE *out, const struct interval *interval);
void fileio_summary_figures(void *test, FILE *out, const struct summary *summary);
void fileio_throughput_figures(void *test, FILE *out, const struct summary *summary);

#endif
