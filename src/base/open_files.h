/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit on open files of this process (ulimit -n). Connections count as open files. */
#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Opens /dev/null in place of closed standard streams. Otherwise the next file could get the
 * number of a standard stream, and reports would be written into it. Call before any file is
 * opened.
 */
void open_files_keep_standard(void);

/* Raises the soft limit for a run with `threads` threads, as far as the hard limit allows. */
void open_files_allow(int64_t threads);

/* Makes sure that `files` more files can be opened and raises the soft limit if necessary.
 * Returns 0, or −1 after a logged message. */
int open_files_reserve(int64_t files);

/* Checks whether the limit on open files is nearly exhausted; called after a failure that may
 * have this cause. If so, logs a message and returns true. Any thread may call this. */
bool open_files_spent(int64_t threads);

#endif
