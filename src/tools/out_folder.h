/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder that a tool of many runs writes to, its --out=DIR. */
#ifndef OUT_FOLDER_H
#define OUT_FOLDER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/outfile.h"

/* Of an option's value: NULL, or what is allowed. */
const char *out_folder_check(const char *value);

/*
 * Makes the folder and those above it unless they exist, and locks it for this process; children do
 * not inherit that. `user`, such as "sweep", is what else may be at work in it. The descriptor that
 * holds the lock until it is closed; −1 after a logged message.
 */
int out_folder_lock(const char *path, const char *user);

/* Nothing is in it but perhaps files whose names begin with `ignored` (NULL: none are ignored). */
bool out_folder_is_empty(const char *path, const char *ignored);

/*
 * Removes what earlier starts, killed or on a full disk, have left of the file `name`. The folder
 * must be locked.
 */
void out_folder_remove_temporaries(const char *path, const char *name);

/* The path of a file in the folder; the caller frees it. */
char *out_folder_path(const char *path, const char *name);

/* As outfile_open(), for a file in the folder. */
int out_folder_open(struct outfile *file, const char *path, const char *name);

/* Makes a file of a value; `flags` are those of json_dumpf(). −1 after a logged message. */
int out_folder_write_json(const char *path, const char *name, const json_t *value, size_t flags);

#endif
