/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test files in the current folder. */
#ifndef FILEIO_FILES_H
#define FILEIO_FILES_H

#include "workloads/builtins/fileio/fileio.h"

/* The commands, as operations of the test (`test` is a struct fileio). Return −1 after logging a
 * message. */
int fileio_prepare(void *test);
int fileio_cleanup(void *test);

/* Opens, checks and maps all files. Returns −1 after logging a message. fileio_close_all() must be
 * called in both cases. */
int fileio_open_all(struct fileio *fileio);
/* Does nothing if fileio_open_all() was not called. */
void fileio_close_all(struct fileio *fileio);

/*
 * After a run: returns −1 after logging a message if a file was removed or replaced during the run.
 */
int fileio_check_names(const struct fileio *fileio);
/* For runs with --validate: reads and checks all blocks of all files. Returns −1 after logging a
 * message. */
int fileio_verify_all(const struct fileio *fileio);

#endif
