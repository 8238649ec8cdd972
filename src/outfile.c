/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outfile.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

/* The permissions of the file that is replaced, or those of any new file. */
static mode_t permissions(const struct stat *old)
{
    if (old != NULL)
        return old->st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static FILE *open_temporary(struct outfile *file, mode_t mode)
{
    if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0)
        file->temporary = checked_alloc(NULL);
    int fd = mkstemp(file->temporary);
    if (fd < 0)
        return NULL;
    FILE *stream = fchmod(fd, mode) == 0 ? fdopen(fd, "w") : NULL;
    if (stream == NULL) {
        close(fd);
        unlink(file->temporary);
    }
    return stream;
}

static void outfile_free(struct outfile *file)
{
    free(file->path);
    free(file->temporary);
    *file = (struct outfile){0};
}

/* Where standard output or error goes too (/dev/stdout): behind what was written there. NULL: it
 * does not. */
static FILE *open_standard(const struct stat *st)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat own;
        if (fstat(fd, &own) != 0 || own.st_dev != st->st_dev || own.st_ino != st->st_ino)
            continue;
        fflush(stdout);
        int copy = dup(fd);
        return copy >= 0 ? fdopen(copy, "w") : NULL;
    }
    return NULL;
}

/* What is there already. A file can be replaced where its name is known; that of a deleted one is
 * not. */
static FILE *open_existing(struct outfile *file, const struct stat *st)
{
    FILE *stream = open_standard(st);
    if (stream != NULL)
        return stream;
    char *resolved = S_ISREG(st->st_mode) ? realpath(file->path, NULL) : NULL;
    if (resolved == NULL)
        return fopen(file->path, "w");
    free(file->path);
    file->path = resolved;
    return open_temporary(file, permissions(st));
}

/* A new file. A link that leads nowhere stays one: it may be /dev/stdout when that is closed. */
static FILE *open_new(struct outfile *file)
{
    struct stat link;
    if (lstat(file->path, &link) == 0)
        return fopen(file->path, "w");
    return open_temporary(file, permissions(NULL));
}

int outfile_open(struct outfile *file, const char *path)
{
    struct stat st;
    *file = (struct outfile){.path = xstrdup(path)};
    file->stream = stat(path, &st) == 0 ? open_existing(file, &st) : open_new(file);
    if (file->stream != NULL)
        return 0;
    log_errno(LOG_FATAL, "cannot write '%s'", path);
    outfile_free(file);
    return -1;
}

int outfile_check(const char *path)
{
    struct outfile file;
    struct stat st;
    /* Opening a pipe would be noticed at its other end; behind a link to nowhere, a file would
     * stay. */
    if (stat(path, &st) == 0 ? !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) : lstat(path, &st) == 0)
        return 0;
    if (outfile_open(&file, path) != 0)
        return -1;
    outfile_abandon(&file);
    return 0;
}

static int commit(struct outfile *file, bool sync)
{
    const char *temporary = file->temporary;
    bool written = fflush(file->stream) == 0;
    if (written && ferror(file->stream)) {
        errno = EIO; /* the cause of an earlier failure is gone */
        written = false;
    }
    if (written && temporary != NULL && sync)
        written = fsync(fileno(file->stream)) == 0;
    if (!written)
        log_errno(LOG_FATAL, "cannot write '%s'", file->path);

    if (fclose(file->stream) != 0 && written) {
        log_errno(LOG_FATAL, "cannot write '%s'", file->path);
        written = false;
    }
    if (written && temporary != NULL && rename(temporary, file->path) != 0) {
        log_errno(LOG_FATAL, "cannot rename '%s' to '%s'", temporary, file->path);
        written = false;
    }
    if (!written && temporary != NULL)
        unlink(temporary);
    outfile_free(file);
    return written ? 0 : -1;
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
