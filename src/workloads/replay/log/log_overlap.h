/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out whether the files of a log follow each other, or cover the same time. */
#ifndef LOG_OVERLAP_H
#define LOG_OVERLAP_H

#include <stdbool.h>

/* More files are not merged. */
#define LOG_PARTS 32

/*
 * Returns true if a file of the list has earlier times than the file before it, so that their
 * records have to be merged by time: for example those of two servers. Only files whose first line
 * has a time are considered: others continue the file before them. Compressed files are read as a
 * whole.
 */
bool log_files_overlap(const char *files);

#endif
