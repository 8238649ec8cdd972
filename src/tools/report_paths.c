/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/report_paths.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

/* Results of a capacity search and of an experiment, in the same folder as the reports of their
 * runs. */
#define CAPACITY_JSON "capacity.json"
#define AB_JSON "ab.json"

bool report_paths_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Adds a path and takes ownership of the string. */
static void add(struct report_paths *paths, char *path)
{
    paths->path = xrealloc(paths->path, (paths->count + 1) * sizeof(*paths->path));
    paths->path[paths->count++] = path;
}

static int is_report(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".json") == 0 &&
           strcmp(entry->d_name, CAPACITY_JSON) != 0 && strcmp(entry->d_name, AB_JSON) != 0;
}

static int add_folder(struct report_paths *paths, const char *folder)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_report, alphasort);
    if (count < 0) {
        log_errno(LOG_FATAL, "cannot read '%s'", folder);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        char *path;
        checked_alloc(asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0 ? NULL : path);
        add(paths, path);
        free(entry[i]);
    }
    free(entry);
    return 0;
}

int report_paths_add(struct report_paths *paths, const char *path)
{
    if (report_paths_is_folder(path))
        return add_folder(paths, path);
    add(paths, xstrdup(path));
    return 0;
}

int report_paths_add_all(struct report_paths *paths, const char *path)
{
    if (report_paths_add(paths, path) != 0)
        return -1;
    char *result;
    checked_alloc(asprintf(&result, "%s/" CAPACITY_JSON, path) < 0 ? NULL : result);
    if (report_paths_is_folder(path) && access(result, F_OK) == 0)
        add(paths, result);
    else
        free(result);
    return 0;
}

void report_paths_fini(struct report_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->path[i]);
    free(paths->path);
    *paths = (struct report_paths){0};
}
