/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the next event and its position in the files.
 *
 * Each event is derived from its number, which is drawn by an atomic addition. After each
 * `fsync_freq` requests follows one fsync per file. So with any number of threads, the number of
 * fsyncs is exact, sequential requests are sequential, and threads need no lock.
 */
#ifndef FILEIO_ORDER_H
#define FILEIO_ORDER_H

#include "workloads/builtins/fileio/fileio.h"

/* Computes the sizes of groups. Call when the mode is known, before the functions below. */
void fileio_size_groups(struct fileio *fileio);
/* Returns the number of groups in all files together. */
uint64_t fileio_all_groups(const struct fileio *fileio);
/* Returns true if some of the events are fsyncs. */
bool fileio_has_fsync_turns(const struct fileio *fileio);

/* Returns the next event. */
struct fileio_request fileio_draw(struct builtin_thread *thread);
/* Chooses another position for a random request. A sequential request keeps its position. */
void fileio_redraw(struct builtin_thread *thread, struct fileio_request *request);

/* With --validate, marks the request's group as busy; returns false if it is busy already. Without
 * --validate, returns true. */
bool fileio_claim(struct fileio *fileio, const struct fileio_request *request);
/* Undoes fileio_claim(). */
void fileio_release(struct fileio *fileio, const struct fileio_request *request);

#endif
