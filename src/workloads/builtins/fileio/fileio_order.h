/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which event comes next, and where in the files it takes place.
 *
 * The order of all events follows from one number, drawn by one atomic addition: each run of
 * `fsync_freq` requests is followed by one fsync per file. So fsyncs are exactly as many as they
 * should be, no two threads can get in each other's way, and sequential requests are sequential,
 * with any number of threads.
 */
#ifndef FILEIO_ORDER_H
#define FILEIO_ORDER_H

#include "workloads/builtins/fileio/fileio.h"

/* When the mode is known, before all that follows: sizes of groups. */
void fileio_size_groups(struct fileio *fileio);
/* How many groups all files have together. */
uint64_t fileio_all_groups(const struct fileio *fileio);
/* Whether some of the events are fsyncs. */
bool fileio_has_fsync_turns(const struct fileio *fileio);

/* The next event. */
struct fileio_request fileio_draw(struct builtin_thread *thread);
/* Another place for a random request; a sequential one stays. */
void fileio_redraw(struct builtin_thread *thread, struct fileio_request *request);

/* With --validate: marks the request's group as busy; false: it is already. Without: true. */
bool fileio_claim(struct fileio *fileio, const struct fileio_request *request);
/* Takes the mark of fileio_claim() away. */
void fileio_release(struct fileio *fileio, const struct fileio_request *request);

#endif
