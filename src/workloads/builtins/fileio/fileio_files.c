/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates, opens, checks and removes the files. */
#include "workloads/builtins/fileio/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "workloads/builtins/fileio/fileio_block.h"

#define FILE_MODE (S_IRUSR | S_IWUSR)
/* number of bytes that prepare and --validate transfer at once, unless a block is larger */
#define CHUNK_BYTES ((int64_t)1 << 20)

static int open_flags(const struct fileio *fileio)
{
    return O_CLOEXEC | (fileio->flag_sync ? O_SYNC : 0) | (fileio->flag_dsync ? O_DSYNC : 0) |
           (fileio->flag_direct ? O_DIRECT : 0);
}

/* Some file systems reject O_DIRECT when a file is opened. */
static int log_open_failure(const struct fileio *fileio, int64_t file)
{
    int error = errno;
    log_text(LOG_FATAL, "Cannot open file '%s' errno = %d (%s)", fileio_name(file).text, error,
             strerror(error));
    if (error == EINVAL && fileio->flag_direct)
        log_text(
            LOG_WARNING,
            "The file system does not support direct I/O: leave out --file-extra-flags=direct");
    else if (error == ENOENT)
        log_text(LOG_WARNING, "Did you forget to run the prepare step?");
    return -1;
}

static int64_t file_size(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? (int64_t)st.st_size : -1;
}

/* The commands prepare and cleanup. */

static int log_write_failure(const struct fileio *fileio, int64_t file, int64_t offset)
{
    int error = errno;
    log_errno(LOG_FATAL, "cannot write to file '%s' at offset %" PRId64, fileio_name(file).text,
              offset);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        log_text(LOG_WARNING,
                 "%s in %" PRId64 " files were asked for; 'fileio cleanup' removes the files",
                 fileio_size_text(fileio->total_bytes).text, fileio->num);
    return -1;
}

/* Whole chunks are written with the given flags. The rest at the end of a file may be too short for
 * direct I/O, and is written without it. */
static int write_chunk(const struct fileio *fileio, int fd, int64_t file, const uint8_t *data,
                       int64_t bytes, int64_t offset)
{
    if (fileio->flag_direct && bytes % fileio->block_bytes != 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT);
    for (int64_t done = 0; done < bytes;) {
        ssize_t n = pwrite(fd, data + done, (size_t)(bytes - done), offset + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return log_write_failure(fileio, file, offset + done);
        done += n;
    }
    return 0;
}

static int64_t chunk_bytes(const struct fileio *fileio)
{
    return max_i64(1, CHUNK_BYTES / fileio->block_bytes) * fileio->block_bytes;
}

/* Writes the part of the file after `from`, beginning with a whole block. */
static int fill_file(const struct fileio *fileio, int fd, int64_t file, int64_t from,
                     uint8_t *chunk)
{
    int64_t whole = fileio->file_bytes / fileio->block_bytes * fileio->block_bytes;
    uint64_t sum = fileio_fill(chunk, chunk_bytes(fileio), fileio->block_bytes, (uint64_t)file + 1);
    for (int64_t at = from / fileio->block_bytes * fileio->block_bytes; at < fileio->file_bytes;) {
        int64_t end = at < whole ? whole : fileio->file_bytes;
        int64_t bytes = min_i64(chunk_bytes(fileio), end - at);
        fileio_stamp(chunk, bytes, fileio->block_bytes, sum, file, at);
        if (write_chunk(fileio, fd, file, chunk, bytes, at) != 0)
            return -1;
        at += bytes;
    }
    if (fsync(fd) == 0)
        return 0;
    log_errno(LOG_FATAL, "cannot sync file '%s'", fileio_name(file).text);
    return -1;
}

/* Creates or extends one file, and adds the number of bytes written to *written. */
static int prepare_file(const struct fileio *fileio, int64_t file, uint8_t *chunk, int64_t *written)
{
    int fd = open(fileio_name(file).text, O_RDWR | O_CREAT | open_flags(fileio), FILE_MODE);
    if (fd < 0)
        return log_open_failure(fileio, file);
    int64_t size = file_size(fd);
    const char *what = size >= fileio->file_bytes ? "Reusing existing"
                       : size > 0                 ? "Extending existing"
                                                  : "Creating";
    log_text(LOG_NOTICE, "%s file %s", what, fileio_name(file).text);
    int rc = 0;
    if (size < fileio->file_bytes) {
        rc = fill_file(fileio, fd, file, size, chunk);
        *written += fileio->file_bytes - size;
    }
    close(fd);
    return rc;
}

int fileio_prepare(void *test)
{
    const struct fileio *fileio = test;
    int64_t written = 0, began_ns = clock_now_ns();
    int rc = 0;
    log_text(LOG_NOTICE, "%" PRId64 " files, %" PRId64 "Kb each, %" PRId64 "Mb total", fileio->num,
             fileio->file_bytes / 1024, fileio->file_bytes * fileio->num / (1 << 20));
    log_text(LOG_NOTICE, "Creating files for the test...");
    if (log_enabled(LOG_NOTICE))
        fileio_print_flags(fileio, stdout);
    uint8_t *chunk = fileio_buffer(chunk_bytes(fileio));
    for (int64_t i = 0; i < fileio->num && rc == 0; i++)
        rc = prepare_file(fileio, i, chunk, &written);
    free(chunk);
    if (rc != 0)
        return rc;
    double seconds = ns_to_seconds(max_i64(1, clock_now_ns() - began_ns));
    if (written > 0)
        log_text(LOG_NOTICE, "%" PRId64 " bytes written in %.2f seconds (%.2f MiB/sec).", written,
                 seconds, (double)written / seconds / (1 << 20));
    else
        log_text(LOG_NOTICE, "No bytes written.");
    return 0;
}

int fileio_cleanup(void *test)
{
    const struct fileio *fileio = test;
    int rc = 0;
    log_text(LOG_NOTICE, "Removing test files...");
    for (int64_t i = 0; i < fileio->num; i++)
        if (unlink(fileio_name(i).text) != 0 && errno != ENOENT) {
            log_errno(LOG_FATAL, "cannot remove file '%s'", fileio_name(i).text);
            rc = -1;
        }
    return rc;
}

/* The command run. */

static int check_size(const struct fileio *fileio, int64_t file)
{
    int64_t size = file_size(fileio->fd[file]);
    if (size >= fileio->file_bytes)
        return 0;
    log_text(LOG_FATAL, "Size of file '%s' is %s, but at least %s is expected.",
             fileio_name(file).text, fileio_size_text(size).text,
             fileio_size_text(fileio->file_bytes).text);
    log_text(LOG_WARNING,
             "Did you run 'prepare' with different --file-total-size or --file-num values?");
    return -1;
}

static int map_file(struct fileio *fileio, int64_t file)
{
    int protection = PROT_READ | (fileio_writes(fileio) ? PROT_WRITE : 0);
    void *map = mmap(NULL, (size_t)fileio->file_bytes, protection, MAP_SHARED, fileio->fd[file], 0);
    if (map != MAP_FAILED) {
        fileio->map[file] = map;
        return 0;
    }
    log_errno(LOG_FATAL, "cannot map file '%s'", fileio_name(file).text);
    return -1;
}

/* Allocates all blocks of a file before it is mapped: writing to a mapped block for which the disk
 * has no room would end the process. */
static int allocate_file(const struct fileio *fileio, int64_t file)
{
    int error = posix_fallocate(fileio->fd[file], 0, fileio->file_bytes);
    if (error == 0)
        return 0;
    log_text(LOG_FATAL, "cannot make file '%s' %s long: %s", fileio_name(file).text,
             fileio_size_text(fileio->file_bytes).text, strerror(error));
    return -1;
}

static int open_file(struct fileio *fileio, int64_t file)
{
    bool creates = fileio->mode == FILEIO_SEQWR;
    int flags = (fileio_writes(fileio) ? O_RDWR : O_RDONLY) | (creates ? O_CREAT | O_TRUNC : 0);
    fileio->fd[file] = open(fileio_name(file).text, flags | open_flags(fileio), FILE_MODE);
    if (fileio->fd[file] < 0)
        return log_open_failure(fileio, file);
    if (!creates && check_size(fileio, file) != 0)
        return -1;
    if (fileio->io != FILEIO_MMAP)
        return 0;
    if (creates && allocate_file(fileio, file) != 0)
        return -1;
    return map_file(fileio, file);
}

int fileio_open_all(struct fileio *fileio)
{
    fileio->fd = checked_alloc(malloc((size_t)fileio->num * sizeof(*fileio->fd)));
    for (int64_t i = 0; i < fileio->num; i++)
        fileio->fd[i] = -1;
    if (fileio->io == FILEIO_MMAP)
        fileio->map = xcalloc((size_t)fileio->num, sizeof(*fileio->map));
    for (int64_t i = 0; i < fileio->num; i++)
        if (open_file(fileio, i) != 0)
            return -1;
    return 0;
}

void fileio_close_all(struct fileio *fileio)
{
    for (int64_t i = 0; i < fileio->num && fileio->fd != NULL; i++) {
        if (fileio->map != NULL && fileio->map[i] != NULL)
            munmap(fileio->map[i], (size_t)fileio->file_bytes);
        if (fileio->fd[i] >= 0)
            close(fileio->fd[i]);
    }
    free(fileio->map);
    free(fileio->fd);
}

int fileio_check_names(const struct fileio *fileio)
{
    for (int64_t i = 0; i < fileio->num; i++) {
        struct stat opened, named;
        if (fstat(fileio->fd[i], &opened) == 0 && stat(fileio_name(i).text, &named) == 0 &&
            opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
            continue;
        log_text(
            LOG_FATAL,
            "file '%s' was removed or replaced during the run: the results are not of this file",
            fileio_name(i).text);
        return -1;
    }
    return 0;
}

static int verify_file(const struct fileio *fileio, int64_t file, uint8_t *chunk)
{
    int64_t whole = min_i64(file_size(fileio->fd[file]), fileio->file_bytes) / fileio->block_bytes *
                    fileio->block_bytes;
    for (int64_t at = 0; at < whole;) {
        struct fileio_request request = {.kind = FILEIO_READ,
                                         .file = file,
                                         .offset = at,
                                         .bytes = min_i64(chunk_bytes(fileio), whole - at)};
        ssize_t n = pread(fileio->fd[file], chunk, (size_t)request.bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != request.bytes)
            return fileio_log_failure(&request, n, n < 0 ? errno : 0);
        if (fileio_check(fileio, &request, chunk) != 0)
            return -1;
        at += request.bytes;
    }
    return 0;
}

int fileio_verify_all(const struct fileio *fileio)
{
    uint8_t *chunk = fileio_buffer(chunk_bytes(fileio));
    int rc = 0;
    for (int64_t i = 0; i < fileio->num && rc == 0; i++)
        rc = verify_file(fileio, i, chunk);
    free(chunk);
    return rc;
}
