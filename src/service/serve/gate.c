/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"

#define HEADER_BYTES_MAX 16384
#define EVENTS 64
/* Connections that are accepted before other events are handled. */
#define ACCEPT_MAX 64
/* Pause after accept() failed, for example because too many files are open. */
#define PAUSE_US 10000

struct gate {
    int fd, epoll_fd, stop_fd;
    struct service *service;
    struct visitors *visitors;
    void (*pass)(void *arg, struct visitor *visitor);
    void *arg;
    pthread_t thread;
    char *header; /* HEADER_BYTES_MAX bytes */
};

/* Values of epoll_event.data.ptr for descriptors that are no connections. */
static char listening, stopping;

static bool watch(struct gate *gate, int fd, uint32_t events, void *what)
{
    struct epoll_event event = {.events = events, .data.ptr = what};
    return epoll_ctl(gate->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void drop(struct gate *gate, struct visitor *visitor)
{
    const int fd = visitor_fd(visitor);
    visitor_leave(gate->visitors, visitor);
    close(fd);
}

/* The bytes that have arrived are read before the connection is closed; otherwise the client might
 * lose the answer. */
static void refuse(struct gate *gate, struct visitor *visitor, unsigned status, const char *error)
{
    char text[256];
    const int fd = visitor_fd(visitor);
    int bytes = snprintf(text, sizeof(text),
                         "HTTP/1.1 %u Bad Request\r\nContent-Type: application/json\r\nConnection: "
                         "close\r\nContent-Length: %zu\r\n\r\n{\"error\":\"%s\"}\n",
                         status, strlen(error) + strlen("{\"error\":\"\"}\n"), error);
    while (recv(fd, gate->header, HEADER_BYTES_MAX, MSG_DONTWAIT) > 0)
        ;
    send(fd, text, (size_t)bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(fd, SHUT_WR);
    atomic_fetch_add(&gate->service->answers[status], 1);
    drop(gate, visitor);
}

/* Returns the length of the header including the empty line at its end; 0 if it is incomplete. */
static size_t header_bytes(const char *text, size_t bytes)
{
    const char *at = text, *end = text + bytes;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        const char *next = at + (at < end && *at == '\r');
        if (next < end && *next == '\n')
            return (size_t)(next - text) + 1;
    }
    return 0;
}

/* `closed` means that no more bytes will arrive. */
static void look(struct gate *gate, struct visitor *visitor, bool closed)
{
    const int fd = visitor_fd(visitor);
    const ssize_t n = recv(fd, gate->header, HEADER_BYTES_MAX, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        drop(gate, visitor);
        return;
    }
    const size_t bytes = header_bytes(gate->header, (size_t)n);
    if (memchr(gate->header, '\0', bytes > 0 ? bytes : (size_t)n) != NULL)
        refuse(gate, visitor, 400, "the header of the request contains a zero byte");
    else if (gate->header[0] == '\r' || gate->header[0] == '\n')
        refuse(gate, visitor, 400, "the request begins with an empty line");
    else if (bytes == 0 && n == HEADER_BYTES_MAX)
        refuse(gate, visitor, 431, "the header of the request is too long");
    else if (bytes > 0 && epoll_ctl(gate->epoll_fd, EPOLL_CTL_DEL, fd, NULL) == 0)
        gate->pass(gate->arg, visitor);
    else if (closed)
        drop(gate, visitor);
}

/* Connections are watched for changes only (EPOLLET), because bytes that are looked at remain. */
static void enter(struct gate *gate, int fd, const struct sockaddr *address)
{
    struct visitor *visitor = visitor_enter(gate->visitors, fd, address);
    if (visitor == NULL)
        close(fd);
    else if (!watch(gate, fd, EPOLLIN | EPOLLRDHUP | EPOLLET, visitor))
        drop(gate, visitor);
}

static void accept_some(struct gate *gate)
{
    for (int i = 0; i < ACCEPT_MAX; i++) {
        struct sockaddr_storage address = {0};
        socklen_t bytes = sizeof(address);
        const int fd =
            accept4(gate->fd, (struct sockaddr *)&address, &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            enter(gate, fd, (const struct sockaddr *)&address);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            usleep(PAUSE_US);
        if (fd < 0 && errno != ECONNABORTED && errno != EINTR)
            return;
    }
}

static int wait_ms(struct gate *gate)
{
    const int64_t now_ns = clock_now_ns(), next_ns = visitors_expire(gate->visitors, now_ns);
    return next_ns == INT64_MAX ? -1 : (int)((next_ns - now_ns) / (int64_t)NS_PER_MS) + 1;
}

static void *work(void *arg)
{
    struct gate *gate = arg;
    struct epoll_event event[EVENTS];
    for (;;) {
        const int count = epoll_wait(gate->epoll_fd, event, EVENTS, wait_ms(gate));
        for (int i = 0; i < count; i++) {
            if (event[i].data.ptr == &stopping)
                return NULL;
            if (event[i].data.ptr == &listening)
                accept_some(gate);
            else
                look(gate, event[i].data.ptr, (event[i].events & (EPOLLRDHUP | EPOLLHUP)) != 0);
        }
    }
}

static void destroy(struct gate *gate)
{
    if (gate->epoll_fd >= 0)
        close(gate->epoll_fd);
    if (gate->stop_fd >= 0)
        close(gate->stop_fd);
    free(gate->header);
    free(gate);
}

struct gate *gate_start(int fd, struct service *service, struct visitors *visitors,
                        void (*pass)(void *arg, struct visitor *visitor), void *arg)
{
    struct gate *gate = xcalloc(1, sizeof(*gate));
    *gate = (struct gate){.fd = fd,
                          .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
                          .stop_fd = eventfd(0, EFD_CLOEXEC),
                          .service = service,
                          .visitors = visitors,
                          .pass = pass,
                          .arg = arg,
                          .header = checked_alloc(malloc(HEADER_BYTES_MAX))};
    if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && gate->epoll_fd >= 0 && gate->stop_fd >= 0 &&
        watch(gate, fd, EPOLLIN, &listening) && watch(gate, gate->stop_fd, EPOLLIN, &stopping) &&
        thread_start_quiet(&gate->thread, work, gate) == 0)
        return gate;
    log_text(LOG_FATAL, "serve: cannot start the thread that accepts connections");
    destroy(gate);
    return NULL;
}

void gate_stop(struct gate *gate)
{
    const uint64_t one = 1;
    if (gate == NULL)
        return;
    if (write(gate->stop_fd, &one, sizeof(one)) != sizeof(one))
        log_errno(LOG_WARNING, "serve: cannot end the thread that accepts connections");
    pthread_join(gate->thread, NULL);
    destroy(gate);
}
