/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files themselves, in the current folder. */
#ifndef FILEIO_FILES_H
#define FILEIO_FILES_H

#include "workloads/builtins/fileio/fileio.h"

/* The commands, as operations of the test (`test` is a struct fileio). −1 logged. */
int fileio_prepare(void *test);
int fileio_cleanup(void *test);

/* Opens, checks and maps all files; fileio_close_all() undoes that, also after a failure. −1
 * logged. */
int fileio_open_all(struct fileio *fileio);
/* Does nothing when fileio_open_all() was not called. */
void fileio_close_all(struct fileio *fileio);

/* After a run: −1, logged, when a file was removed or replaced meanwhile. */
int fileio_check_names(const struct fileio *fileio);
/* Reads and checks every block of every file, as far as they go; for runs with --validate. −1
 * logged. */
int fileio_verify_all(const struct fileio *fileio);

#endif
