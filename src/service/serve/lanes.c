/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/lanes.h"

#include <pthread.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/port.h"
#include "base/util.h"

struct lane {
    const char *folder;
    bool trims; /* its tasks need much memory, which is returned to the system after each */
    pthread_mutex_t lock; /* protects the fields below, except `threads` and `thread` */
    pthread_cond_t some;  /* signalled when a task is added or the lane is closed */
    struct lane_task *first, **last;
    size_t waiting, waiting_max;
    bool closed;
    unsigned threads;
    pthread_t thread[];
};

/* Waits for a task and returns it. Returns NULL if the lane is closed and the queue is empty. */
static struct lane_task *take(struct lane *lane, bool *closed)
{
    pthread_mutex_lock(&lane->lock);
    while (lane->first == NULL && !lane->closed)
        pthread_cond_wait(&lane->some, &lane->lock);
    struct lane_task *task = lane->first;
    if (task != NULL) {
        lane->first = task->next;
        lane->waiting--;
        if (lane->first == NULL)
            lane->last = &lane->first;
    }
    *closed = lane->closed;
    pthread_mutex_unlock(&lane->lock);
    return task;
}

static void *work(void *arg)
{
    struct lane *lane = arg;
    struct archive *archive = archive_open(lane->folder, false);
    struct lane_task *task;
    bool closed;
    while ((task = take(lane, &closed)) != NULL) {
        if (archive == NULL && !closed)
            archive = archive_open(lane->folder, false);
        task->run(task, closed ? NULL : archive);
        if (lane->trims)
            port_trim_heap();
    }
    archive_close(archive);
    return NULL;
}

struct lane *lane_create(const char *folder, unsigned threads, size_t waiting_max, bool trims)
{
    struct lane *lane = xcalloc(1, sizeof(*lane) + threads * sizeof(lane->thread[0]));
    lane->folder = folder;
    lane->waiting_max = waiting_max;
    lane->trims = trims;
    lane->last = &lane->first;
    pthread_mutex_init(&lane->lock, NULL);
    pthread_cond_init(&lane->some, NULL);
    interrupt_mask();
    while (lane->threads < threads &&
           pthread_create(&lane->thread[lane->threads], NULL, work, lane) == 0)
        lane->threads++;
    interrupt_unmask();
    if (lane->threads == threads)
        return lane;
    log_text(LOG_FATAL, "serve: cannot start %u threads", threads);
    lane_destroy(lane);
    return NULL;
}

bool lane_submit(struct lane *lane, struct lane_task *task)
{
    pthread_mutex_lock(&lane->lock);
    bool taken = !lane->closed && lane->waiting < lane->waiting_max;
    if (taken) {
        task->next = NULL;
        *lane->last = task;
        lane->last = &task->next;
        lane->waiting++;
        pthread_cond_signal(&lane->some);
    }
    pthread_mutex_unlock(&lane->lock);
    return taken;
}

void lane_close(struct lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    lane->closed = true;
    pthread_cond_broadcast(&lane->some);
    pthread_mutex_unlock(&lane->lock);
    for (; lane->threads > 0; lane->threads--)
        pthread_join(lane->thread[lane->threads - 1], NULL);
}

void lane_destroy(struct lane *lane)
{
    if (lane == NULL)
        return;
    lane_close(lane);
    pthread_cond_destroy(&lane->some);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
}
