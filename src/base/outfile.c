/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"

/* seconds to wait for the reader of a pipe */
#define READER_WAIT_S 10
/* length of the longest chain of symbolic links that the kernel follows */
#define LINKS 40

/* descriptor of the original standard output; −1 if it was not redirected */
static int taken_stdout = -1;

/* Files that the program reads. */
static struct {
    struct protected_file {
        dev_t device;
        ino_t inode;
        char *what;
    } * file;
    size_t count;
} protected;

void outfile_protect(const char *path, const char *what)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    protected.file = xrealloc(protected.file, (protected.count + 1) * sizeof(*protected.file));
    protected.file[protected.count++] =
        (struct protected_file){st.st_dev, st.st_ino, xstrdup(what)};
}

/* Returns 0 if the program does not read the file, otherwise −1 after a logged message. */
static int check_protected(const char *path, const struct stat *st)
{
    for (size_t i = 0; i < protected.count; i++)
        if (protected.file[i].device == st->st_dev && protected.file[i].inode == st->st_ino) {
            log_text(LOG_FATAL, "cannot write '%s': it is also %s (allowed: another file)", path,
                     protected.file[i].what);
            return -1;
        }
    return 0;
}

const char *outfile_take_stdout(void)
{
    static char path[32];
    log_flush_stdout();
    taken_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (taken_stdout < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        log_errno(LOG_FATAL, "cannot write to standard output");
        return NULL;
    }
    snprintf(path, sizeof(path), "/dev/fd/%d", taken_stdout);
    return path;
}

/* Returns the permissions of the replaced file, or the default ones of a new file. */
static mode_t permissions(const struct stat *old)
{
    if (old != NULL)
        return old->st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_temporary(struct outfile *file, mode_t mode)
{
    if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0)
        file->temporary = checked_alloc(NULL);
    int fd = mkostemp(file->temporary, O_CLOEXEC);
    if (fd < 0 || fchmod(fd, mode) == 0)
        return fd;
    close(fd);
    unlink(file->temporary);
    return -1;
}

static void outfile_free(struct outfile *file)
{
    free(file->path);
    free(file->temporary);
    *file = (struct outfile){0};
}

/* Returns true if `fd` refers to this file and can be written. A read-only /dev/null that
 * replaces a closed standard stream (limits_begin()) does not count. */
static bool is_open_as(int fd, const struct stat *st)
{
    struct stat own;
    return fstat(fd, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino &&
           (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* If the file is standard output or standard error (/dev/stdout), returns its descriptor,
 * otherwise −1. */
static int standard_fd(const struct stat *st)
{
    if (taken_stdout >= 0 && is_open_as(taken_stdout, st))
        return taken_stdout;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (is_open_as(fd, st))
            return fd;
    return -1;
}

/* Duplicates a standard stream after flushing it, so that new output follows earlier output. */
static int copy_standard(int fd)
{
    log_flush_stdout();
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static int open_in_place(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* Opening a pipe blocks until it has a reader. O_NONBLOCK fails instead, so this function can
 * retry until a deadline or a signal. */
static int open_pipe(const char *path)
{
    static const struct timespec pause = {.tv_nsec = 20 * NS_PER_MS};
    const int64_t deadline_ns = clock_now_ns() + READER_WAIT_S * NS_PER_SEC;
    const int earlier_signal = interrupt_signal();
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENXIO)
        log_text(LOG_WARNING, "the pipe '%s' has no reader: waiting up to %d s for one", path,
                 READER_WAIT_S);
    while (fd < 0 && errno == ENXIO && clock_now_ns() < deadline_ns &&
           interrupt_signal() == earlier_signal) {
        nanosleep(&pause, NULL); /* a signal ends the pause */
        fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    }
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_WRONLY);
    return fd;
}

/* Opens a path that exists. A regular file is replaced, unless it was deleted while open: it
 * then has no path and is written directly. */
static int open_existing(struct outfile *file, const struct stat *st)
{
    int standard = standard_fd(st);
    if (standard >= 0)
        return copy_standard(standard);
    if (S_ISFIFO(st->st_mode))
        return open_pipe(file->path);
    char *resolved = S_ISREG(st->st_mode) ? realpath(file->path, NULL) : NULL;
    if (resolved == NULL)
        return open_in_place(file->path);
    free(file->path);
    file->path = resolved;
    return open_temporary(file, permissions(st));
}

/* Opens a path that does not exist. A dangling link is kept and written through, because it may
 * be /dev/stdout while standard output is closed. */
static int open_new(struct outfile *file)
{
    struct stat link;
    if (lstat(file->path, &link) == 0)
        return open_in_place(file->path);
    return open_temporary(file, permissions(NULL));
}

/*
 * The stream is a custom one, because streams of the C library do not keep the errno of a failure.
 */

static void note_error(struct outfile *file)
{
    if (file->error == 0)
        file->error = errno;
}

/* Writes nothing after an error, so that the data in the file has no gaps. */
static ssize_t write_bytes(void *cookie, const char *bytes, size_t count)
{
    struct outfile *file = cookie;
    size_t done = 0;
    while (done < count && file->error == 0) {
        ssize_t n = write(file->fd, bytes + done, count - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            note_error(file);
    }
    file->begun = file->begun || done > 0;
    return (ssize_t)done;
}

static int close_file(void *cookie)
{
    struct outfile *file = cookie;
    return close(file->fd);
}

int outfile_open(struct outfile *file, const char *path)
{
    static const cookie_io_functions_t functions = {.write = write_bytes, .close = close_file};
    struct stat st;
    const bool exists = stat(path, &st) == 0;
    *file = (struct outfile){0};
    if (exists && standard_fd(&st) < 0 && check_protected(path, &st) != 0)
        return -1;
    file->path = xstrdup(path);
    file->fd = exists ? open_existing(file, &st) : open_new(file);
    if (file->fd >= 0) {
        file->stream = checked_alloc(fopencookie(file, "w", functions));
        return 0;
    }
    if (errno == ENXIO)
        log_text(LOG_FATAL, "cannot write '%s': the pipe has no reader", path);
    else
        log_errno(LOG_FATAL, "cannot write '%s'", path);
    outfile_free(file);
    return -1;
}

int outfile_check(const char *path)
{
    struct outfile file;
    struct stat st;
    /* A pipe is not opened, because its reader would notice. A dangling link is not opened,
     * because the created file would stay. */
    if (stat(path, &st) == 0 ? !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) : lstat(path, &st) == 0)
        return 0;
    if (outfile_open(&file, path) != 0)
        return -1;
    outfile_abandon(&file);
    return 0;
}

static void log_error(const struct outfile *file, enum log_level level, bool kept)
{
    errno = file->error;
    if (kept)
        log_errno(level, "cannot write '%s' (what was written until then is in '%s')", file->path,
                  file->temporary);
    else
        log_errno(level, "cannot write '%s'", file->path);
}

/* Returns true if the temporary file holds data that exists nowhere else. */
static bool has_content(const struct outfile *file)
{
    return file->temporary != NULL && file->begun;
}

void outfile_flush(struct outfile *file)
{
    fflush(file->stream);
    if (file->error != 0 && !file->error_logged)
        log_error(file, LOG_WARNING, has_content(file));
    file->error_logged = file->error != 0;
}

/* Flushes and closes the file. Returns 0, or −1 with the cause in `error`. */
static int finish(struct outfile *file, bool sync)
{
    fflush(file->stream);
    if (file->error == 0 && sync && file->temporary != NULL && fsync(file->fd) != 0)
        note_error(file);
    if (fclose(file->stream) != 0)
        note_error(file);
    return file->error == 0 ? 0 : -1;
}

/* Completes the file. If `keep` is true, an incomplete file stays under its temporary name. */
static int commit(struct outfile *file, bool keep)
{
    int status = finish(file, keep);
    keep = keep && has_content(file);
    if (status != 0) {
        log_error(file, LOG_FATAL, keep);
    } else if (file->temporary != NULL && rename(file->temporary, file->path) != 0) {
        log_errno(LOG_FATAL, "cannot rename '%s' to '%s'", file->temporary, file->path);
        status = -1;
    }
    if (status != 0 && file->temporary != NULL && !keep)
        unlink(file->temporary);
    outfile_free(file);
    return status;
}

int outfile_commit(struct outfile *file)
{
    return commit(file, true);
}

int outfile_replace(struct outfile *file)
{
    return commit(file, false);
}

void outfile_abandon(struct outfile *file)
{
    fclose(file->stream);
    if (file->temporary != NULL)
        unlink(file->temporary);
    outfile_free(file);
}

/* Checks that several options name different files. */

/* Returns the path of `name`, a path relative to the folder of `path`. The caller frees it. */
static char *relative_to(const char *path, const char *name)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    int folder_bytes = slash == NULL ? 0 : (int)(slash + 1 - path);
    char *text;
    if (asprintf(&text, "%.*s%s", folder_bytes, path, name) < 0)
        text = checked_alloc(NULL);
    return text;
}

/* Returns the path at the end of a chain of symbolic links, even if the chain is dangling. */
static char *follow_links(const char *path)
{
    char target[PATH_MAX], *end = xstrdup(path);
    ssize_t bytes;
    for (int i = 0; i < LINKS && (bytes = readlink(end, target, sizeof(target) - 1)) > 0; i++) {
        target[bytes] = '\0';
        char *next = relative_to(end, target);
        free(end);
        end = next;
    }
    return end;
}

/* Returns the resolved path of a file that does not exist yet, or NULL if its folder does not
 * exist. */
static char *future_place(const char *path)
{
    char *end = follow_links(path);
    char *folder_path = relative_to(end, "."), *folder = realpath(folder_path, NULL), *place = NULL;
    const char *slash = strrchr(end, '/');
    if (folder != NULL && asprintf(&place, "%s/%s", folder, slash == NULL ? end : slash + 1) < 0)
        place = checked_alloc(NULL);
    free(folder);
    free(folder_path);
    free(end);
    return place;
}

/*
 * Returns the resolved path of the file, which may not exist yet. Returns NULL if the path leads
 * nowhere, or if several options may write to the same file: a device, a pipe or standard output.
 * The caller frees the path.
 */
static char *unshared_place(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || standard_fd(&st) >= 0))
        return NULL;
    char *place = realpath(path, NULL);
    return place != NULL || errno != ENOENT ? place : future_place(path);
}

/* Returns true if the paths are two names (hard links) of a regular file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat st, other;
    return stat(a, &st) == 0 && stat(b, &other) == 0 && S_ISREG(st.st_mode) &&
           st.st_dev == other.st_dev && st.st_ino == other.st_ino && standard_fd(&st) < 0;
}

static bool is_same_place(const char *a, const char *b)
{
    if (is_same_file(a, b))
        return true;
    char *place = unshared_place(a), *other = unshared_place(b);
    bool same = place != NULL && other != NULL && strcmp(place, other) == 0;
    free(place);
    free(other);
    return same;
}

int outfile_check_all(const struct outfile_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (options[i].path != NULL && outfile_check(options[i].path) != 0)
            return -1;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && options[i].path != NULL; k++)
            if (options[k].path != NULL && is_same_place(options[i].path, options[k].path)) {
                log_text(LOG_FATAL, "--%s=%s and --%s=%s name one file (allowed: a file for each)",
                         options[i].name, options[i].path, options[k].name, options[k].path);
                return -1;
            }
    return 0;
}
