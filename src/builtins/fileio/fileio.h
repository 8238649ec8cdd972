/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fileio: what its files share.
 *
 * The order of all events follows from one number, drawn by one atomic addition: each run of
 * `fsync_freq` requests is followed by one fsync per file. So fsyncs are exactly as many as they
 * should be, no two threads can get in each other's way, and sequential requests are sequential,
 * with any number of threads.
 *
 * Each block that is written ends with its position and a checksum (fileio_block.c), whether or not
 * anybody validates.
 */
#ifndef BUILTINS_FILEIO_H
#define BUILTINS_FILEIO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "builtins/builtin.h"

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

struct fileio {
    /* From the options. */
    int64_t num, block_bytes, total_bytes, backlog, fsync_freq, merged;
    const char *mode_name, *io_name, *fsync_mode_name;
    bool fsync_all, fsync_end;
    double rw_ratio;
    bool flag_sync, flag_dsync, flag_direct;
    const struct settings *settings;
    enum fileio_io io;
    bool fdatasync;
    bool validate;
    int64_t file_bytes;      /* of each file */
    int64_t group_bytes;     /* of a request: a block, or several merged */
    int64_t groups_per_file; /* the last one of a file may be shorter */

    /* Of a run. */
    enum fileio_mode mode;
    int *fd;                            /* of each file; −1: not open */
    uint8_t **map;                      /* of each file (mmap); else NULL */
    const struct fileio_ring_ops *ring; /* async */
    _Atomic uint64_t next;              /* events drawn so far */
    atomic_uchar
        *busy; /* --validate: groups in use, which nobody else may read or write; else NULL */
    _Atomic int64_t active; /* workers that have not left their loop */
    unsigned end_fsyncs;    /* at the end of the run … */
    int64_t end_fsync_ns;   /* … and how long they took */
};

/* One request: what an event does. */
struct fileio_request {
    enum fileio_kind kind;
    int64_t file;
    int64_t offset, bytes;
    int64_t group; /* number of the group in all files */
};

struct fileio_thread {
    uint8_t *write_buffer; /* a group of blocks with contents (fileio_block.c) */
    uint8_t *read_buffer;
    uint64_t contents_sum; /* of those contents */
};

/* fileio_order.c */

bool fileio_writes(const struct fileio *fileio);
/* When the mode is known: sizes of groups. */
void fileio_size_groups(struct fileio *fileio);
uint64_t fileio_all_groups(const struct fileio *fileio);
/* Whether some of the events are fsyncs. */
bool fileio_has_fsync_turns(const struct fileio *fileio);

/* The next event. */
struct fileio_request fileio_draw(struct builtin_thread *thread);
/* Another place for a random request; a sequential one stays. */
void fileio_redraw(struct builtin_thread *thread, struct fileio_request *request);
/* With --validate: marks the request's group as busy; false: it is already. */
bool fileio_claim(struct fileio *fileio, const struct fileio_request *request);
void fileio_release(struct fileio *fileio, const struct fileio_request *request);

/* fileio.c */

/* Counts what was done. */
void fileio_count(struct builtin_thread *thread, const struct fileio_request *request);
/* Checks what was read, where that is asked for. −1 logged. */
int fileio_check(struct fileio *fileio, const struct fileio_request *request, const uint8_t *data);
/* Executes one request with system calls that wait. −1 logged. */
int fileio_execute(struct builtin_thread *thread, const struct fileio_request *request);
int fileio_fsync(struct fileio *fileio, int64_t file);
/* Logs that a transfer failed (errno) or, with error 0, was short. Returns −1. */
int fileio_log_failure(const struct fileio_request *request, int64_t done, int error);

/* fileio_files.c */

struct fileio_name {
    char text[32];
};
struct fileio_name fileio_name(int64_t file);
int fileio_prepare(void *test);
int fileio_cleanup(void *test);
/* Opens, checks and maps all files; fileio_close_all() undoes that, also after a failure. −1
 * logged. */
int fileio_open_all(struct fileio *fileio);
void fileio_close_all(struct fileio *fileio);
/* After a run: files that were removed meanwhile. −1 logged. */
int fileio_check_names(const struct fileio *fileio);
/* Reads and checks every block of every file, as far as they go. −1 logged. */
int fileio_verify_all(struct fileio *fileio);
/* Memory that any file's direct I/O can use. */
uint8_t *fileio_buffer(int64_t bytes);

/* fileio_block.c */

/* Fills a group with contents, the same in each block; returns their sum for fileio_stamp(). */
uint64_t fileio_fill(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t seed);
/* Makes `data` the group that stands at `offset` of `file`. */
void fileio_stamp(uint8_t *data, int64_t bytes, int64_t block_bytes, uint64_t contents_sum,
                  int64_t file, int64_t offset);
/* Offset in `data` of the first block that is not what was written there, or −1. */
int64_t fileio_find_damage(const uint8_t *data, int64_t bytes, int64_t block_bytes, int64_t file,
                           int64_t offset);
#define FILEIO_BLOCK_MIN 32 /* smallest block with room for this */

/* fileio_report.c */

void fileio_print_mode(const void *test, FILE *out);
void fileio_print_flags(const struct fileio *fileio, FILE *out);
void fileio_interval_figures(void *test, FILE *out, const struct interval *interval);
void fileio_summary_figures(void *test, FILE *out, const struct summary *summary);
struct fileio_name fileio_size_text(int64_t bytes);

/* fileio_async.c */

/* Chooses the first kind of ring that the kernel grants. −1 logged. */
int fileio_async_begin(struct fileio *fileio);
int fileio_async_loop(struct builtin_thread *thread);
const char *fileio_ring_name(const struct fileio *fileio);

#endif
