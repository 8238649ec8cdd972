/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that work off tasks in the order in which they came, each with the archive opened for
 * itself. Any thread may submit; a task is done exactly once, also when the lane is closed.
 */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "archive/archive.h"

struct lane;

/* Part of what is to be done. */
struct lane_task {
    struct lane_task *next;
    /* `archive` NULL: it cannot be opened, or the lane is closed. */
    void (*run)(struct lane_task *task, struct archive *archive);
};

/* `folder` must stay. `waiting_max`: how many tasks may wait. NULL after a logged message. */
struct lane *lane_create(const char *folder, unsigned threads, size_t waiting_max);

/* False: too many wait, or the lane is closed. After true the task is the lane's until it runs. */
bool lane_submit(struct lane *lane, struct lane_task *task);

/* Nothing is taken any more; tasks that wait run without an archive. Returns when all have ended.
 * lane_submit() may still be called. */
void lane_close(struct lane *lane);
/* Closes it and frees it; NULL is ignored. */
void lane_destroy(struct lane *lane);

#endif
