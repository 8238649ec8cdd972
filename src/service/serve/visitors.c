/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/visitors.h"

#include <pthread.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/util.h"

/* Time limit for the client to receive an answer. */
#define RECEIVE_NS (300 * NS_PER_SEC)
/* Interval between two checks of the time limits. */
#define LOOK_NS (NS_PER_SEC / 4)

struct visitor {
    struct visitor *before, *next; /* neighbours in the list, oldest connection first */
    int fd;
    bool ended; /* the socket was shut down */
    enum visitor_stage stage;
    int64_t since_ns; /* start of the present stage, CLOCK_MONOTONIC */
};

struct visitors {
    struct service *service;
    pthread_mutex_t lock; /* protects the fields below */
    struct visitor list;  /* head of a circular list */
    unsigned count;
};

struct visitors *visitors_create(struct service *service)
{
    struct visitors *visitors = xcalloc(1, sizeof(*visitors));
    visitors->service = service;
    visitors->list.before = visitors->list.next = &visitors->list;
    pthread_mutex_init(&visitors->lock, NULL);
    return visitors;
}

void visitors_destroy(struct visitors *visitors)
{
    if (visitors == NULL)
        return;
    pthread_mutex_destroy(&visitors->lock);
    free(visitors);
}

static void end(struct visitor *visitor, _Atomic uint64_t *counter)
{
    shutdown(visitor->fd, SHUT_RDWR);
    visitor->ended = true;
    atomic_fetch_add(counter, 1);
}

/* Closes the connection that has been silent for longest. The caller holds the lock. */
static void make_room(struct visitors *visitors)
{
    struct visitor *oldest = NULL;
    for (struct visitor *v = visitors->list.next; v != &visitors->list; v = v->next)
        if (!v->ended && v->stage == VISITOR_SILENT &&
            (oldest == NULL || v->since_ns < oldest->since_ns))
            oldest = v;
    if (oldest != NULL)
        end(oldest, &visitors->service->turned_away);
}

struct visitor *visitor_enter(struct visitors *visitors, int fd)
{
    struct visitor *visitor = xcalloc(1, sizeof(*visitor));
    *visitor = (struct visitor){.fd = fd, .stage = VISITOR_SILENT, .since_ns = clock_now_ns()};
    pthread_mutex_lock(&visitors->lock);
    const bool first = visitors->count++ == 0;
    if (visitors->count > VISITORS_MANY)
        make_room(visitors);
    visitor->before = visitors->list.before;
    visitor->next = &visitors->list;
    visitor->before->next = visitor->next->before = visitor;
    pthread_mutex_unlock(&visitors->lock);
    if (first)
        interrupt_notify(NULL);
    return visitor;
}

void visitor_leave(struct visitors *visitors, struct visitor *visitor)
{
    pthread_mutex_lock(&visitors->lock);
    visitor->before->next = visitor->next;
    visitor->next->before = visitor->before;
    visitors->count--;
    pthread_mutex_unlock(&visitors->lock);
    free(visitor);
}

void visitor_set(struct visitors *visitors, struct visitor *visitor, enum visitor_stage stage)
{
    pthread_mutex_lock(&visitors->lock);
    visitor->stage = stage;
    visitor->since_ns = clock_now_ns();
    pthread_mutex_unlock(&visitors->lock);
}

static bool is_over(const struct visitors *visitors, const struct visitor *v, int64_t now_ns)
{
    if (v->ended || v->stage == VISITOR_WAITS)
        return false;
    const int64_t limit_ns =
        v->stage == VISITOR_RECEIVES ? RECEIVE_NS : visitors->service->request_ns;
    return now_ns - v->since_ns > limit_ns;
}

int64_t visitors_expire(struct visitors *visitors, int64_t now_ns)
{
    pthread_mutex_lock(&visitors->lock);
    for (struct visitor *v = visitors->list.next; v != &visitors->list; v = v->next)
        if (is_over(visitors, v, now_ns))
            end(v, &visitors->service->too_slow);
    const bool none = visitors->count == 0;
    pthread_mutex_unlock(&visitors->lock);
    return none ? INT64_MAX : now_ns + LOOK_NS;
}
