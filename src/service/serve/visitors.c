/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/visitors.h"

#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"

/* Time limits for the client to send a header, and to receive an answer. */
#define HEADER_NS (5 * NS_PER_SEC)
#define RECEIVE_NS (300 * NS_PER_SEC)
/* Interval between two checks of the time limits. */
#define LOOK_NS (NS_PER_SEC / 4)

/* An address of a client: of IPv4 all bytes, of IPv6 the network. */
struct client {
    unsigned char bytes[8];
};

struct visitor {
    struct visitor *before, *next; /* neighbours in the list, oldest connection first */
    int fd;
    struct client client;
    bool ended; /* the socket was shut down */
    enum visitor_stage stage;
    int64_t since_ns; /* start of the present stage, CLOCK_MONOTONIC */
    int64_t bytes;    /* memory that it holds */
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
    for (struct visitor *v = visitors->list.next, *next; v != &visitors->list; v = next) {
        next = v->next;
        close(v->fd);
        free(v);
    }
    pthread_mutex_destroy(&visitors->lock);
    free(visitors);
}

/* The functions up to make_room() are called with the lock. */

static void end(struct visitor *visitor, _Atomic uint64_t *counter)
{
    shutdown(visitor->fd, SHUT_RDWR);
    visitor->ended = true;
    atomic_fetch_add(counter, 1);
}

/* What all connections have (one unit each), or those of one client. */
static int64_t sum_of(const struct visitors *visitors, const struct client *client, bool in_bytes)
{
    int64_t sum = 0;
    for (const struct visitor *v = visitors->list.next; v != &visitors->list; v = v->next)
        if (!v->ended && (client == NULL || memcmp(&v->client, client, sizeof(*client)) == 0))
            sum += in_bytes ? v->bytes : 1;
    return sum;
}

/* Closes the oldest connection of the client that has the most, or of `only`. */
static bool end_one(struct visitors *visitors, const struct client *only, bool in_bytes,
                    const struct visitor *keep)
{
    struct visitor *found = NULL;
    int64_t most = 0;
    for (struct visitor *v = visitors->list.next; v != &visitors->list; v = v->next) {
        if (v->ended || v == keep || v->stage == VISITOR_WAITS || (in_bytes && v->bytes == 0) ||
            (only != NULL && memcmp(&v->client, only, sizeof(*only)) != 0))
            continue;
        const int64_t sum = sum_of(visitors, &v->client, in_bytes);
        if (found == NULL || sum > most || (sum == most && v->since_ns < found->since_ns)) {
            found = v;
            most = sum;
        }
    }
    if (found != NULL)
        end(found, &visitors->service->turned_away);
    return found != NULL;
}

static void make_room(struct visitors *visitors, const struct visitor *newest)
{
    if (sum_of(visitors, &newest->client, false) > VISITORS_PER_ADDRESS)
        end_one(visitors, &newest->client, false, newest);
    else if (sum_of(visitors, NULL, false) > VISITORS_MANY)
        end_one(visitors, NULL, false, newest);
}

static struct client client_of(const struct sockaddr *address)
{
    struct client client = {{0}};
    if (address->sa_family == AF_INET)
        memcpy(client.bytes, &((const struct sockaddr_in *)address)->sin_addr, 4);
    else if (address->sa_family == AF_INET6)
        memcpy(client.bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 8);
    return client;
}

struct visitor *visitor_enter(struct visitors *visitors, int fd, const struct sockaddr *address)
{
    struct visitor *visitor = xcalloc(1, sizeof(*visitor));
    *visitor = (struct visitor){.fd = fd,
                                .client = client_of(address),
                                .stage = VISITOR_SILENT,
                                .since_ns = clock_now_ns()};
    pthread_mutex_lock(&visitors->lock);
    if (visitors->count < VISITORS_MAX) {
        visitors->count++;
        visitor->before = visitors->list.before;
        visitor->next = &visitors->list;
        visitor->before->next = visitor->next->before = visitor;
        make_room(visitors, visitor);
    } else {
        free(visitor);
        visitor = NULL;
    }
    pthread_mutex_unlock(&visitors->lock);
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

struct visitor *visitor_find(struct visitors *visitors, int fd)
{
    pthread_mutex_lock(&visitors->lock);
    struct visitor *v = visitors->list.next;
    while (v->fd != fd)
        v = v->next;
    pthread_mutex_unlock(&visitors->lock);
    return v;
}

int visitor_fd(const struct visitor *visitor)
{
    return visitor->fd;
}

void visitor_set(struct visitors *visitors, struct visitor *visitor, enum visitor_stage stage,
                 int64_t bytes)
{
    pthread_mutex_lock(&visitors->lock);
    visitor->stage = stage;
    visitor->since_ns = clock_now_ns();
    visitor->bytes = bytes;
    while (bytes > 0 && sum_of(visitors, NULL, true) > VISITORS_BYTES_MAX &&
           end_one(visitors, NULL, true, visitor))
        ;
    pthread_mutex_unlock(&visitors->lock);
}

static int64_t limit_ns(const struct visitors *visitors, enum visitor_stage stage)
{
    const int64_t request_ns = visitors->service->request_ns;
    switch (stage) {
    case VISITOR_SILENT:
        return min_i64(request_ns, HEADER_NS);
    case VISITOR_GIVES:
        return request_ns;
    case VISITOR_RECEIVES:
        return RECEIVE_NS;
    default:
        return INT64_MAX;
    }
}

int64_t visitors_expire(struct visitors *visitors, int64_t now_ns)
{
    pthread_mutex_lock(&visitors->lock);
    for (struct visitor *v = visitors->list.next; v != &visitors->list; v = v->next)
        if (!v->ended && now_ns - v->since_ns > limit_ns(visitors, v->stage))
            end(v, &visitors->service->too_slow);
    const bool none = visitors->count == 0;
    pthread_mutex_unlock(&visitors->lock);
    return none ? INT64_MAX : now_ns + LOOK_NS;
}
