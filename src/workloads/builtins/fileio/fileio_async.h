/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous I/O: each worker has a ring with up to --file-async-backlog requests in flight. Each
 * request is an event, which ends when its completion is taken from the ring. */
#ifndef FILEIO_ASYNC_H
#define FILEIO_ASYNC_H

#include "workloads/builtins/fileio/fileio.h"

/* Before the run: chooses the first kind of ring that the kernel supports. Returns −1 after logging
 * a message. */
int fileio_async_begin(struct fileio *fileio);

/* Executes all events of a worker. Returns −1 after logging a message. */
int fileio_async_loop(struct builtin_thread *thread);

#endif
