/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports that tools are given: files, or folders of them. */
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
 * Adds `path` or, where it is a folder, the *.json in it, by name, without capacity.json, which is
 * no report of a run. −1 after a logged message: the folder cannot be read.
 */
int report_paths_add(struct report_paths *paths, const char *path);
/* The same with capacity.json, behind the others. */
int report_paths_add_all(struct report_paths *paths, const char *path);
void report_paths_fini(struct report_paths *paths);

#endif
