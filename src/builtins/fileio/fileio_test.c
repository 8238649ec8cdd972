/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fileio: options, the run, and requests by system calls that wait. */
#include "builtins/fileio/fileio.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "builtins/tests.h"
#include "engine/worker_api.h"

/* Direct I/O moves whole sectors. */
#define SECTOR_BYTES 512

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
     .help = "test mode {seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw}",
     .choices = "seqwr|seqrewr|seqrd|rndrd|rndwr|rndrw",
     .field = offsetof(struct fileio, mode_name)},
    {.name = "file-io-mode",
     .type = OPTION_STRING,
     .fallback = "sync",
     .help = "file operations mode {sync,async,mmap}",
     .choices = "sync|async|mmap",
     .field = offsetof(struct fileio, io_name)},
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
     .help = "which method to use for synchronization {fsync, fdatasync}",
     .choices = "fsync|fdatasync",
     .field = offsetof(struct fileio, fsync_mode_name)},
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

/* Options. */

/* The place of `name` in a list that ends with NULL. It stands there: the option's row has seen to
 * that. */
static int place_of(const char *name, const char *const *names)
{
    int i = 0;
    while (names[i + 1] != NULL && strcmp(name, names[i]) != 0)
        i++;
    return i;
}

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
    static const char *const io_names[] = {"sync", "async", "mmap", NULL};
    struct fileio *fileio = test;
    char *const *flags = options_get(options, "file-extra-flags")->list;
    for (size_t i = 0; flags != NULL && flags[i] != NULL; i++)
        if (read_flag(fileio, flags[i]) != 0)
            return -1;
    fileio->settings = settings;
    fileio->validate = settings->validate;
    fileio->io = (enum fileio_io)place_of(fileio->io_name, io_names);
    fileio->fdatasync = strcmp(fileio->fsync_mode_name, "fdatasync") == 0;
    fileio->file_bytes = fileio->total_bytes / fileio->num;
    return check_sizes(fileio);
}

/* Requests. */

void fileio_count(struct builtin_thread *thread, const struct fileio_request *request)
{
    static const enum counter counters[] = {COUNTER_READ, COUNTER_WRITE, COUNTER_OTHER};
    struct stats_thread *stats = thread->worker->stats;
    stats_count(stats, counters[request->kind], 1);
    if (request->kind != FILEIO_FSYNC)
        stats_count(stats,
                    request->kind == FILEIO_READ ? COUNTER_BYTES_READ : COUNTER_BYTES_WRITTEN,
                    (uint64_t)request->bytes);
}

int fileio_log_failure(const struct fileio_request *request, int64_t done, int error)
{
    static const char *const verbs[] = {"read", "write", "sync"};
    const struct fileio_name file = fileio_name(request->file);
    const char *name = file.text;
    if (request->kind == FILEIO_FSYNC)
        log_text(LOG_FATAL, "cannot sync file '%s': %s", name, strerror(error));
    else if (error != 0)
        log_text(LOG_FATAL, "cannot %s %" PRId64 " bytes at offset %" PRId64 " of file '%s': %s",
                 verbs[request->kind], request->bytes, request->offset, name, strerror(error));
    else
        log_text(LOG_FATAL,
                 "file '%s' ends at offset %" PRId64 ", where %" PRId64
                 " bytes were expected: it was cut meanwhile",
                 name, request->offset + done, request->bytes - done);
    return -1;
}

int fileio_check(struct fileio *fileio, const struct fileio_request *request, const uint8_t *data)
{
    if (!fileio->validate || request->kind != FILEIO_READ)
        return 0;
    int64_t at = fileio_find_damage(data, request->bytes, fileio->block_bytes, request->file,
                                    request->offset);
    if (at < 0)
        return 0;
    log_text(LOG_FATAL,
             "Validation failed on file '%s', block offset %" PRId64
             ": not what was written there (by a prepare with the same --file-block-size?)",
             fileio_name(request->file).text, request->offset + at);
    return -1;
}

int fileio_fsync(struct fileio *fileio, int64_t file)
{
    int rc;
    if (fileio->map != NULL)
        rc = msync(fileio->map[file], (size_t)fileio->file_bytes, MS_SYNC);
    else
        rc = fileio->fdatasync ? fdatasync(fileio->fd[file]) : fsync(fileio->fd[file]);
    struct fileio_request request = {.kind = FILEIO_FSYNC, .file = file};
    return rc == 0 ? 0 : fileio_log_failure(&request, 0, errno);
}

/* All of it, by as many calls as it takes. */
static int transfer(const struct fileio *fileio, const struct fileio_request *request,
                    uint8_t *data)
{
    for (int64_t done = 0; done < request->bytes;) {
        int fd = fileio->fd[request->file];
        size_t bytes = (size_t)(request->bytes - done);
        ssize_t n = request->kind == FILEIO_READ
                        ? pread(fd, data + done, bytes, request->offset + done)
                        : pwrite(fd, data + done, bytes, request->offset + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fileio_log_failure(request, done, n < 0 ? errno : 0);
        done += n;
    }
    return 0;
}

static int copy_mapped_block(const struct fileio *fileio, const struct fileio_request *request,
                             uint8_t *data)
{
    uint8_t *place_in_file = fileio->map[request->file] + request->offset;
    if (request->kind == FILEIO_READ)
        memcpy(data, place_in_file, (size_t)request->bytes);
    else
        memcpy(place_in_file, data, (size_t)request->bytes);
    return 0;
}

int fileio_execute(struct builtin_thread *thread, const struct fileio_request *request)
{
    struct fileio *fileio = thread->test;
    struct fileio_thread *state = thread->state;
    if (request->kind == FILEIO_FSYNC)
        return fileio_fsync(fileio, request->file);
    uint8_t *data = request->kind == FILEIO_READ ? state->read_buffer : state->write_buffer;
    if (request->kind == FILEIO_WRITE)
        fileio_stamp(data, request->bytes, fileio->block_bytes, state->contents_sum, request->file,
                     request->offset);
    if ((fileio->map != NULL ? copy_mapped_block(fileio, request, data)
                             : transfer(fileio, request, data)) != 0)
        return -1;
    return fileio_check(fileio, request, data);
}

static int sync_after_write(struct builtin_thread *thread, const struct fileio_request *request)
{
    struct fileio *fileio = thread->test;
    if (!fileio->fsync_all || request->kind != FILEIO_WRITE)
        return 0;
    struct fileio_request sync = {.kind = FILEIO_FSYNC, .file = request->file};
    if (fileio_fsync(fileio, sync.file) != 0)
        return -1;
    fileio_count(thread, &sync);
    return 0;
}

static int event(struct builtin_thread *thread)
{
    struct fileio *fileio = thread->test;
    struct fileio_request request = fileio_draw(thread);
    while (!fileio_claim(fileio, &request)) {
        sched_yield();
        fileio_redraw(thread, &request);
    }
    int rc = fileio_execute(thread, &request);
    fileio_release(fileio, &request);
    if (rc != 0)
        return rc;
    fileio_count(thread, &request);
    return sync_after_write(thread, &request);
}

/* The run. */

/* The last worker to leave syncs all files. It is no event, so that it counts and its time is told
 * apart. */
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

static int sync_loop(struct builtin_thread *thread)
{
    while (worker_next())
        if (event(thread) != 0)
            return -1;
    return 0;
}

static int loop(struct builtin_thread *thread)
{
    struct fileio *fileio = thread->test;
    int rc = fileio->io == FILEIO_ASYNC ? fileio_async_loop(thread) : sync_loop(thread);
    return leave(fileio) == 0 ? rc : -1;
}

static int thread_start(struct builtin_thread *thread)
{
    const struct fileio *fileio = thread->test;
    struct fileio_thread *state = thread->state;
    state->read_buffer = fileio_buffer(fileio->group_bytes);
    state->write_buffer = fileio_buffer(fileio->group_bytes);
    /* Without --validate two threads may write a block at the same time: what each writes is the
     * same, then. */
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

/*
 * A file that is cut while it is mapped, or a disk that fails: the kernel has no other way to say
 * so, and nothing can go on from there. Only what a handler may call.
 */
static void on_bus_error(int number)
{
    static const char text[] = "FATAL: a mapped file cannot be read or written any more: it was "
                               "cut, or its device failed\n";
    (void)number;
    ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)ignored;
    _exit(1);
}

static int begin(void *test)
{
    static const char *const mode_names[] = {"seqwr", "seqrewr", "seqrd", "rndrd",
                                             "rndwr", "rndrw",   NULL};
    struct fileio *fileio = test;
    if (fileio->mode_name == NULL) {
        log_text(LOG_FATAL, "Missing required argument: --file-test-mode");
        return -1;
    }
    fileio->mode = (enum fileio_mode)place_of(fileio->mode_name, mode_names);
    fileio_size_groups(fileio);
    atomic_init(&fileio->active, fileio->settings->threads);
    if (fileio->validate)
        fileio->busy = xcalloc(fileio_all_groups(fileio), sizeof(*fileio->busy));
    if (fileio->io == FILEIO_MMAP)
        signal(SIGBUS, on_bus_error);
    if (fileio_open_all(fileio) != 0 ||
        (fileio->io == FILEIO_ASYNC && fileio_async_begin(fileio) != 0))
        return -1;
    return fileio->validate && fileio->mode != FILEIO_SEQWR ? fileio_verify_all(fileio) : 0;
}

/* Whether every block was written at least once, or had been before. */
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

const struct builtin_ops fileio_test = {.name = "fileio",
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
                                        .event = event,
                                        .loop = loop,
                                        .thread_end = thread_end,
                                        .end = end,
                                        .interval_figures = fileio_interval_figures,
                                        .summary_figures = fileio_summary_figures};
