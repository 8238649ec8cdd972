/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tools on archives take as values of their options. */
#ifndef ARCHIVE_WORDS_H
#define ARCHIVE_WORDS_H

#include "archive/archive.h"

/* Of an option's value: NULL, or what is allowed. As much of "2026-11-23T14:22:22" as wanted, at
 * least the year; any name but the empty one. */
const char *archive_check_time(const char *value);
const char *archive_check_name(const char *value);

/* Splits "NAME=VALUE" in place; no value: NULL. */
struct archive_label archive_split_label(char *text);

/* Of a list of such texts; NULL: none. The caller gives them to archive_free_labels(). */
struct archive_label *archive_read_labels(char *const *text, size_t *count);
void archive_free_labels(struct archive_label *label, size_t count);

#endif
