/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/out_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

const char *out_folder_check(const char *value)
{
    return value[0] != '\0' ? NULL : "the name of a folder";
}

static int make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

static int make_folders(const char *path)
{
    char *part = xstrdup(path), *slash = part;
    int status = 0;
    while (status == 0 && (slash = strchr(slash + 1, '/')) != NULL) {
        *slash = '\0';
        status = make_folder(part);
        *slash = '/';
    }
    free(part);
    return status == 0 ? make_folder(path) : -1;
}

/* The folder itself is locked. */
int out_folder_lock(const char *path, const char *user)
{
    if (make_folders(path) != 0) {
        log_errno(LOG_FATAL, "cannot make the folder --out=%s", path);
        return -1;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        log_errno(LOG_FATAL, "cannot use --out=%s", path);
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    log_text(LOG_FATAL, "another %s is using '%s'", user, path);
    close(fd);
    return -1;
}

static bool is_ignored(const char *name, const char *ignored)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
           (ignored != NULL && strncmp(name, ignored, strlen(ignored)) == 0);
}

bool out_folder_is_empty(const char *path, const char *ignored)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool empty = true;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        empty = empty && is_ignored(entry->d_name, ignored);
    if (folder != NULL)
        closedir(folder);
    return empty;
}

/* Temporary files of outfile_open() are called "NAME.XXXXXX" until they are complete. */
static bool is_temporary_of(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '.' &&
           strlen(entry + length) == sizeof(".XXXXXX") - 1 &&
           strchr(entry + length + 1, '.') == NULL;
}

void out_folder_remove_temporaries(const char *path, const char *name)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (is_temporary_of(entry->d_name, name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
}

char *out_folder_path(const char *path, const char *name)
{
    char *joined;
    return asprintf(&joined, "%s/%s", path, name) < 0 ? checked_alloc(NULL) : joined;
}

int out_folder_open(struct outfile *file, const char *path, const char *name)
{
    char *joined = out_folder_path(path, name);
    int status = outfile_open(file, joined);
    free(joined);
    return status;
}

int out_folder_write_json(const char *path, const char *name, const json_t *value, size_t flags)
{
    struct outfile file;
    if (out_folder_open(&file, path, name) != 0)
        return -1;
    /* outfile_commit() reports write errors. Any other failure is a lack of memory. */
    if (json_dumpf(value, file.stream, flags) != 0 && !ferror(file.stream))
        checked_alloc(NULL);
    fputc('\n', file.stream);
    return outfile_commit(&file);
}

int out_folder_write_text(const char *path, const char *name, const char *text)
{
    struct outfile file;
    if (out_folder_open(&file, path, name) != 0)
        return -1;
    fputs(text, file.stream);
    return outfile_commit(&file);
}
