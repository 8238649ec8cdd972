/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/pool/lender.h"

#include <ck_queue.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/util.h"

/* A thread that waits. The ticket is on its stack. */
struct ticket {
    CK_STAILQ_ENTRY(ticket) link;
    pthread_cond_t served;
    struct lender_item *item; /* NULL until an item is handed over */
};

struct lender {
    pthread_mutex_t lock;             /* guards the following members and all tickets */
    bool closed;                      /* no thread may wait */
    CK_STAILQ_HEAD(, ticket) tickets; /* the thread that waits longest is the first */
    struct lender_item *free;         /* empty while a thread waits */
    unsigned waiting;                 /* number of tickets */
};

struct lender *lender_create(void)
{
    struct lender *l = xcalloc(1, sizeof(*l));
    pthread_mutex_init(&l->lock, NULL);
    CK_STAILQ_INIT(&l->tickets);
    return l;
}

void lender_destroy(struct lender *l)
{
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static struct lender_item *take_free(struct lender *l)
{
    struct lender_item *item = l->free;
    if (item != NULL)
        l->free = item->next;
    return item;
}

/* Waits with the lock held. If an item is handed over at the last moment, the thread takes it. */
static struct lender_item *wait_for_item(struct lender *l, int64_t until_ns)
{
    struct ticket ticket = {.item = NULL};
    const struct timespec at = clock_timespec(until_ns);
    int rc = 0;

    thread_condition_init(&ticket.served);
    CK_STAILQ_INSERT_TAIL(&l->tickets, &ticket, link);
    l->waiting++;
    while (ticket.item == NULL && rc == 0 && !l->closed)
        rc = until_ns == INT64_MAX ? pthread_cond_wait(&ticket.served, &l->lock)
                                   : pthread_cond_timedwait(&ticket.served, &l->lock, &at);
    if (ticket.item == NULL)
        CK_STAILQ_REMOVE(&l->tickets, &ticket, ticket, link);
    l->waiting--;
    pthread_cond_destroy(&ticket.served);
    return ticket.item;
}

struct lender_item *lender_take(struct lender *l, int64_t until_ns, int64_t *waited_ns)
{
    *waited_ns = 0;
    pthread_mutex_lock(&l->lock);
    struct lender_item *item = take_free(l);
    if (item == NULL && !l->closed) {
        const int64_t from_ns = clock_now_ns();
        item = wait_for_item(l, until_ns);
        *waited_ns = clock_now_ns() - from_ns;
    }
    pthread_mutex_unlock(&l->lock);
    return item;
}

unsigned lender_waiting(struct lender *l)
{
    pthread_mutex_lock(&l->lock);
    const unsigned waiting = l->waiting;
    pthread_mutex_unlock(&l->lock);
    return waiting;
}

void lender_close(struct lender *l)
{
    struct ticket *ticket;
    pthread_mutex_lock(&l->lock);
    l->closed = true;
    CK_STAILQ_FOREACH(ticket, &l->tickets, link)
    pthread_cond_signal(&ticket->served);
    pthread_mutex_unlock(&l->lock);
}

void lender_give(struct lender *l, struct lender_item *item)
{
    pthread_mutex_lock(&l->lock);
    struct ticket *first = CK_STAILQ_FIRST(&l->tickets);
    if (first != NULL) {
        CK_STAILQ_REMOVE_HEAD(&l->tickets, link);
        first->item = item;
        pthread_cond_signal(&first->served);
    } else {
        item->next = l->free;
        l->free = item;
    }
    pthread_mutex_unlock(&l->lock);
}
