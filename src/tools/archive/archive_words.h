/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of options of tools that use archives. */
#ifndef ARCHIVE_WORDS_H
#define ARCHIVE_WORDS_H

#include "archive/archive.h"

/* Checks of option values: return NULL or a description of allowed values. A time is a prefix of
 * "2026-11-23T14:22:22", at least the year. A name is any text that is not empty. */
const char *archive_check_time(const char *value);
const char *archive_check_name(const char *value);

/* Splits "NAME=VALUE" in place; the value is NULL if it is empty or missing. */
struct archive_label archive_split_label(char *text);

/* Converts a list of such texts; returns NULL if the list is empty. Free the result by
 * archive_free_labels(). */
struct archive_label *archive_read_labels(char *const *text, size_t *count);
void archive_free_labels(struct archive_label *label, size_t count);

#endif
