/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests by system calls that wait, or by mapped files. */
#ifndef FILEIO_SYNC_H
#define FILEIO_SYNC_H

#include "workloads/builtins/fileio/fileio.h"

/* All events of a worker, one after the other. −1 logged. */
int fileio_sync_loop(struct builtin_thread *thread);

/* What was written to file number `file` is on its device. −1 logged. */
int fileio_fsync(const struct fileio *fileio, int64_t file);

#endif
