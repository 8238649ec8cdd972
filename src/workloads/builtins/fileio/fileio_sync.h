/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes requests by blocking system calls, or in mapped files. */
#ifndef FILEIO_SYNC_H
#define FILEIO_SYNC_H

#include "workloads/builtins/fileio/fileio.h"

/* Executes all events of a worker, one after the other. Returns −1 after logging a message. */
int fileio_sync_loop(struct builtin_thread *thread);

/*
 * Returns when the data of file number `file` is on its device. Returns −1 after logging a message.
 */
int fileio_fsync(const struct fileio *fileio, int64_t file);

#endif
