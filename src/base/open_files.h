/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of files that this process may have open, ulimit -n. A connection is one of them. */
#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* A closed standard stream must not become the number of the next file: reports would be written
 * into it. Before any file is opened. */
void open_files_keep_standard(void);

/* Raises the limit for a run of so many threads as far as the hard limit lets it. */
void open_files_allow(int64_t threads);

/*
 * Makes sure that so many more can be opened, raising the limit where that is needed. 0, or −1 with
 * the reason logged.
 */
int open_files_reserve(int64_t files);

/*
 * Whether there are none left, or hardly any: asked after a failure whose cause may be that. Logs
 * it then. Any thread.
 */
bool open_files_spent(int64_t threads);

#endif
