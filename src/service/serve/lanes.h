/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lane is a pool of threads with a first-in, first-out queue of tasks. Each thread opens the
 * archive for itself. Any thread may submit tasks. Every submitted task runs exactly once, even if
 * the lane is closed before.
 */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "archive/archive.h"

struct lane;

/* A task; callers embed it into a larger struct. */
struct lane_task {
    struct lane_task *next;
    /* `archive` is NULL if it cannot be opened or if the lane is closed. */
    void (*run)(struct lane_task *task, struct archive *archive);
};

/* Starts the threads. `folder` is the folder of the archive; the text must outlive the lane. At
 * most `waiting_max` tasks wait in the queue. With `trims`, free memory is returned to the system
 * after each task. Returns NULL after a logged message. */
struct lane *lane_create(const char *folder, unsigned threads, size_t waiting_max, bool trims);

/* Returns false if the queue is full or the lane is closed. After true the task belongs to the lane
 * until it runs. */
bool lane_submit(struct lane *lane, struct lane_task *task);

/* Stops accepting tasks. Tasks that wait in the queue run without an archive. Returns when all
 * tasks and threads have ended. lane_submit() may still be called and returns false. */
void lane_close(struct lane *lane);
/* Closes the lane and frees it. NULL is ignored. */
void lane_destroy(struct lane *lane);

#endif
