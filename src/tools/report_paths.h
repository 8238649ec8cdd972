/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the reports that tools are given: files, or folders with reports. */
#ifndef REPORT_PATHS_H
#define REPORT_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct report_paths {
    char **path;
    size_t count;
};

bool report_paths_is_folder(const char *path);

/*
 * Adds `path`. If `path` is a folder, adds its *.json files sorted by name, except capacity.json,
 * which is not the report of a run. Returns −1 after a logged message if the folder cannot be read.
 */
int report_paths_add(struct report_paths *paths, const char *path);
/* Like report_paths_add(), but also adds capacity.json, as the last file. */
int report_paths_add_all(struct report_paths *paths, const char *path);
void report_paths_fini(struct report_paths *paths);

#endif
