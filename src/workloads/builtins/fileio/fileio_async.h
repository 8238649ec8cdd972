/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asynchronous requests: each worker keeps up to --file-async-backlog of them in flight, in a ring
 * of its own. Each is an event with its own times, from its arrival until its completion has been
 * taken from the ring.
 */
#ifndef FILEIO_ASYNC_H
#define FILEIO_ASYNC_H

#include "workloads/builtins/fileio/fileio.h"

/* Before the run: chooses the first kind of ring that the kernel grants. −1 logged. */
int fileio_async_begin(struct fileio *fileio);

/* All events of a worker. −1 logged. */
int fileio_async_loop(struct builtin_thread *thread);

#endif
