/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/deferred.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/util.h"

/*
 * A ring that is protected by a mutex. Work that is worth deferring takes far longer than the lock.
 */
struct deferred {
    pthread_mutex_t lock; /* guards all fields below; `changed` signals a put, the seal and the
                             close */
    pthread_cond_t changed;
    uint32_t size, first, length;
    bool sealed, closed;
    struct deferred_entry *ring;
};

struct deferred *deferred_create(uint32_t size)
{
    struct deferred *d = xcalloc(1, sizeof(*d));
    d->size = size;
    d->ring = xcalloc(size, sizeof(*d->ring));
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    return d;
}

void deferred_destroy(struct deferred *d)
{
    if (d == NULL)
        return;
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d->ring);
    free(d);
}

static void append(struct deferred *d, const struct deferred_entry *entry)
{
    d->ring[(d->first + (uint64_t)d->length) % d->size] = *entry;
    d->length++;
    pthread_cond_signal(&d->changed);
}

enum deferred_put deferred_put(struct deferred *d, struct deferred_entry *entry)
{
    enum deferred_put result = DEFERRED_PUT;
    pthread_mutex_lock(&d->lock);
    /* Read the clock under the lock, so that entries are in the order of their times. */
    entry->queued_ns = clock_now_ns();
    if (d->sealed)
        result = DEFERRED_OVER;
    else if (d->length == d->size)
        result = DEFERRED_FULL;
    else
        append(d, entry);
    pthread_mutex_unlock(&d->lock);
    return result;
}

/* Removes the oldest entry. Returns false if the queue is empty. The caller must hold the lock. */
static bool shift(struct deferred *d, struct deferred_entry *entry)
{
    if (d->length == 0)
        return false;
    *entry = d->ring[d->first];
    d->first = (d->first + 1) % d->size;
    d->length--;
    return true;
}

bool deferred_take(struct deferred *d, struct deferred_entry *entry)
{
    pthread_mutex_lock(&d->lock);
    while (d->length == 0 && !d->sealed)
        pthread_cond_wait(&d->changed, &d->lock);
    bool taken = !d->closed && shift(d, entry);
    pthread_mutex_unlock(&d->lock);
    return taken;
}

static void end(struct deferred *d, bool close)
{
    pthread_mutex_lock(&d->lock);
    d->sealed = true;
    d->closed = d->closed || close;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

void deferred_seal(struct deferred *d)
{
    end(d, false);
}

void deferred_close(struct deferred *d)
{
    end(d, true);
}

bool deferred_remove(struct deferred *d, struct deferred_entry *entry)
{
    pthread_mutex_lock(&d->lock);
    bool any = shift(d, entry);
    pthread_mutex_unlock(&d->lock);
    return any;
}
