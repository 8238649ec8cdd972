/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output folder of a tool that makes many runs (--out=DIR). */
#ifndef OUT_FOLDER_H
#define OUT_FOLDER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/outfile.h"

/* Check of the option: returns NULL or a description of allowed values. */
const char *out_folder_check(const char *value);

/*
 * Creates the folder and its parents if they do not exist, and locks it for this process; children
 * do not inherit the lock. `user`, such as "sweep", names the tool for messages. Returns a
 * descriptor that holds the lock until it is closed, or −1 after a logged message.
 */
int out_folder_lock(const char *path, const char *user);

/* Returns true if the folder has no files, except those whose names begin with `ignored` (NULL: no
 * exception). */
bool out_folder_is_empty(const char *path, const char *ignored);

/*
 * Removes temporary files of `name` that earlier calls have left because they were killed or the
 * disk was full. The folder must be locked.
 */
void out_folder_remove_temporaries(const char *path, const char *name);

/* Returns the path of a file in the folder; the caller frees it. */
char *out_folder_path(const char *path, const char *name);

/* Like outfile_open(), for a file in the folder. */
int out_folder_open(struct outfile *file, const char *path, const char *name);

/* Writes a text to a file in the folder. Returns −1 after a logged message. */
int out_folder_write_text(const char *path, const char *name, const char *text);

/* Writes a JSON value to a file in the folder; `flags` as for json_dumpf(). Returns −1 after a
 * logged message. */
int out_folder_write_json(const char *path, const char *name, const json_t *value, size_t flags);

#endif
