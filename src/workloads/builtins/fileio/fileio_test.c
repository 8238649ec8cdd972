/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test `fileio`: an event reads or writes one block of a file (or several merged blocks), or is
 * an fsync of a file. This file has the options and the run. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/util.h"
#include "workloads/builtins/fileio/fileio.h"
#include "workloads/builtins/fileio/fileio_block.h"
#include "workloads/builtins/fileio/fileio_order.h"
#include "workloads/builtins/fileio/fileio_ring.h"
#include "workloads/builtins/tests.h"

/* size of a sector, the unit of direct I/O */
#define SECTOR_BYTES 512

static int configure(void *test, const struct options *options, struct settings *settings);
static int begin(void *test);
static int thread_start(struct builtin_thread *thread);
static int loop(struct builtin_thread *thread);
static int thread_end(struct builtin_thread *thread);
static int end(void *test);

static const struct option_spec rows[] = {
    {.name = "file-num",
     .type = OPTION_INT,
     .fallback = "128",
     .help = "number of files to create",
     .min = 1,
     .max = 1 << 19,
     .field = offsetof(struct fileio, num)},
    {.name = "file-block-size",
     .type = OPTION_SIZE,
     .fallback = "16384",
     .help = "block size to use in all IO operations",
     .min = FILEIO_BLOCK_MIN,
     .max = 1 << 30,
     .field = offsetof(struct fileio, block_bytes)},
    {.name = "file-total-size",
     .type = OPTION_SIZE,
     .fallback = "2G",
     .help = "total size of files to create",
     .min = 1,
     .max = (double)((int64_t)1 << 60),
     .field = offsetof(struct fileio, total_bytes)},
    {.name = "file-test-mode",
     .type = OPTION_STRING,
     .help = "test mode",
     .choices =
         OPTION_CHOICES([FILEIO_SEQWR] = {"seqwr", NULL}, [FILEIO_SEQREWR] = {"seqrewr", NULL},
                        [FILEIO_SEQRD] = {"seqrd", NULL}, [FILEIO_RNDRD] = {"rndrd", NULL},
                        [FILEIO_RNDWR] = {"rndwr", NULL}, [FILEIO_RNDRW] = {"rndrw", NULL}),
     .field = offsetof(struct fileio, mode_name)},
    {.name = "file-io-mode",
     .type = OPTION_STRING,
     .fallback = "sync",
     .help = "file operations mode",
     .choices = OPTION_CHOICES([FILEIO_SYNC] = {"sync", NULL}, [FILEIO_ASYNC] = {"async", NULL},
                               [FILEIO_MMAP] = {"mmap", NULL}),
     .tight = true,
     .field = OPTION_NO_FIELD},
    {.name = "file-async-backlog",
     .type = OPTION_INT,
     .fallback = "128",
     .help = "number of asynchronous operatons to queue per thread",
     .min = 1,
     .max = 4096,
     .field = offsetof(struct fileio, backlog)},
    {.name = "file-extra-flags",
     .type = OPTION_LIST,
     .fallback = "",
     .help = "list of additional flags to use to open files {sync,dsync,direct}",
     .field = OPTION_NO_FIELD},
    {.name = "file-fsync-freq",
     .type = OPTION_INT,
     .fallback = "100",
     .help = "do fsync() after this number of requests (0 - don't use fsync())",
     .min = 0,
     .max = INT32_MAX,
     .field = offsetof(struct fileio, fsync_freq)},
    {.name = "file-fsync-all",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "do fsync() after each write operation",
     .field = offsetof(struct fileio, fsync_all)},
    {.name = "file-fsync-end",
     .type = OPTION_BOOL,
     .fallback = "on",
     .help = "do fsync() at the end of test",
     .field = offsetof(struct fileio, fsync_end)},
    {.name = "file-fsync-mode",
     .type = OPTION_STRING,
     .fallback = "fsync",
     .help = "which method to use for synchronization",
     .choices = OPTION_CHOICES({"fsync", NULL}, {"fdatasync", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "file-merged-requests",
     .type = OPTION_INT,
     .fallback = "0",
     .help = "merge at most this number of IO requests if possible (0 - don't merge)",
     .min = 0,
     .max = 65536,
     .field = offsetof(struct fileio, merged)},
    {.name = "file-rw-ratio",
     .type = OPTION_DOUBLE,
     .fallback = "1.5",
     .help = "reads/writes ratio for combined test",
     .min = 0,
     .max = 1e9,
     .field = offsetof(struct fileio, rw_ratio)},
};

const struct builtin_ops fileio_test = {
    .name = "fileio",
    .description = "File I/O test",
    .rows = rows,
    .row_count = ARRAY_SIZE(rows),
    .test_bytes = sizeof(struct fileio),
    .thread_bytes = sizeof(struct fileio_thread),
    .configure = configure,
    .prepare = fileio_prepare,
    .cleanup = fileio_cleanup,
    .begin = begin,
    .print_mode = fileio_print_mode,
    .thread_start = thread_start,
    .loop = loop,
    .thread_end = thread_end,
    .end = end,
    .interval_figures = fileio_interval_figures,
    .summary_figures = fileio_summary_figures,
    .throughput_figures = fileio_throughput_figures,
};

/* Returns the position of `name` in a list that ends with NULL. The option table guarantees that
 * the list contains the name. */
static int read_flag(struct fileio *fileio, const char *flag)
{
    if (strcmp(flag, "sync") == 0)
        fileio->flag_sync = true;
    else if (strcmp(flag, "dsync") == 0)
        fileio->flag_dsync = true;
    else if (strcmp(flag, "direct") == 0)
        fileio->flag_direct = true;
    else if (flag[0] != '\0') {
        log_text(LOG_FATAL,
                 "invalid value for --file-extra-flags: '%s' (allowed: sync, dsync and direct, "
                 "separated by commas)",
                 flag);
        return -1;
    }
    return 0;
}

static int check_sizes(const struct fileio *fileio)
{
    if (fileio->file_bytes < fileio->block_bytes) {
        log_text(LOG_FATAL,
                 "--file-block-size=%" PRId64 " is larger than a file: --file-total-size=%" PRId64
                 " in --file-num=%" PRId64 " files makes files of %" PRId64 " bytes",
                 fileio->block_bytes, fileio->total_bytes, fileio->num, fileio->file_bytes);
        return -1;
    }
    if (fileio->flag_direct && fileio->block_bytes % SECTOR_BYTES != 0) {
        log_text(LOG_FATAL,
                 "invalid value for --file-block-size: '%" PRId64
                 "' (allowed with direct: a multiple of %d)",
                 fileio->block_bytes, SECTOR_BYTES);
        return -1;
    }
    return 0;
}

static int configure(void *test, const struct options *options, struct settings *settings)
{
    struct fileio *fileio = test;
    char *const *flags = options_get(options, "file-extra-flags")->list;
    for (size_t i = 0; flags != NULL && flags[i] != NULL; i++)
        if (read_flag(fileio, flags[i]) != 0)
            return -1;
    fileio->settings = settings;
    fileio->validate = settings->validate;
    if (options_string(options, "file-test-mode") != NULL)
        fileio->mode = (enum fileio_mode)options_choice(options, "file-test-mode");
    fileio->io = (enum fileio_io)options_choice(options, "file-io-mode");
    fileio->fdatasync = options_choice(options, "file-fsync-mode") != 0;
    fileio->file_bytes = fileio->total_bytes / fileio->num;
    return check_sizes(fileio);
}

/* The last worker that leaves its loop syncs all files. These fsyncs are not events; their number
 * and time are reported separately. */
static int leave(struct fileio *fileio)
{
    if (atomic_fetch_sub(&fileio->active, 1) != 1 || !fileio->fsync_end || fileio->fsync_all ||
        !fileio_writes(fileio))
        return 0;
    int64_t began_ns = clock_now_ns();
    for (int64_t i = 0; i < fileio->num; i++) {
        if (fileio_fsync(fileio, i) != 0)
            return -1;
        fileio->end_fsyncs++;
    }
    fileio->end_fsync_ns = clock_now_ns() - began_ns;
    return 0;
}

static int loop(struct builtin_thread *thread)
{
    struct fileio *fileio = thread->test;
    int rc = fileio->io == FILEIO_ASYNC ? fileio_async_loop(thread) : fileio_sync_loop(thread);
    return leave(fileio) == 0 ? rc : -1;
}

static int thread_start(struct builtin_thread *thread)
{
    const struct fileio *fileio = thread->test;
    struct fileio_thread *state = thread->state;
    state->read_buffer = fileio_buffer(fileio->group_bytes);
    state->write_buffer = fileio_buffer(fileio->group_bytes);
    /* Without --validate, two threads may write a block at the same time. With a fixed seed, both
     * write the same data. */
    uint64_t seed = fileio->validate ? rand_stream_u64(&thread->worker->rand->stream) : 1;
    state->contents_sum =
        fileio_fill(state->write_buffer, fileio->group_bytes, fileio->block_bytes, seed);
    return 0;
}

static int thread_end(struct builtin_thread *thread)
{
    struct fileio_thread *state = thread->state;
    free(state->read_buffer);
    free(state->write_buffer);
    return 0;
}

/* Signal handler for SIGBUS, which the kernel sends if a mapped file is truncated or its disk
 * fails. The process cannot continue. Only async-signal-safe functions are called. */
static void on_bus_error(int number)
{
    static const char text[] = "FATAL: a mapped file cannot be read or written any more: it was "
                               "cut, or its device failed\n";
    (void)number;
    ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)ignored;
    _exit(1);
}

/* Reserves descriptors for the files of the test and the rings of the threads. */
static int reserve_files(const struct fileio *fileio)
{
    const int per_thread = fileio->io == FILEIO_ASYNC ? fileio->ring->files : 0;
    return limits_reserve_files(fileio->num + per_thread * fileio->settings->threads);
}

static int begin(void *test)
{
    struct fileio *fileio = test;
    if (fileio->mode_name == NULL) {
        log_text(LOG_FATAL, "Missing required argument: --file-test-mode");
        return -1;
    }
    fileio_size_groups(fileio);
    atomic_init(&fileio->active, fileio->settings->threads);
    if (fileio->validate)
        fileio->busy = xcalloc(fileio_all_groups(fileio), sizeof(*fileio->busy));
    if (fileio->io == FILEIO_MMAP)
        signal(SIGBUS, on_bus_error);
    if ((fileio->io == FILEIO_ASYNC && fileio_async_begin(fileio) != 0) ||
        reserve_files(fileio) != 0 || fileio_open_all(fileio) != 0)
        return -1;
    return fileio->validate && fileio->mode != FILEIO_SEQWR ? fileio_verify_all(fileio) : 0;
}

/* Returns true if every block was written at least once, now or earlier. */
static bool is_complete(const struct fileio *fileio)
{
    return fileio->mode != FILEIO_SEQWR ||
           (fileio->next >= fileio_all_groups(fileio) && !fileio_has_fsync_turns(fileio));
}

static int end(void *test)
{
    struct fileio *fileio = test;
    int rc = 0;
    bool ran = fileio->next > 0;
    if (ran && fileio_check_names(fileio) != 0)
        rc = -1;
    if (rc == 0 && ran && fileio->validate && is_complete(fileio))
        rc = fileio_verify_all(fileio);
    fileio_close_all(fileio);
    free(fileio->busy);
    return rc;
}
