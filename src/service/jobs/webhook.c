/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/webhook.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"

#define SCHEME "http://"
/* Time limit for connecting to one of the addresses of a host. */
#define CONNECT_NS (3 * NS_PER_SEC)
/* Time after `end_ns` for the thread to set `over`. */
#define SPARE_NS NS_PER_SEC

/* The parts of an address. */
struct place {
    char host[256], port[8];
    const char *path; /* points into the address */
};

/* Reads "HOST", "HOST:PORT" or "[::1]:PORT", which ends at `end`. */
static bool read_host(struct place *place, const char *at, const char *end)
{
    const bool six = *at == '[';
    const char *stop = six ? memchr(at, ']', (size_t)(end - at)) : NULL;
    const char *colon = memchr(six && stop != NULL ? stop : at, ':',
                               (size_t)(end - (six && stop != NULL ? stop : at)));
    const char *host_end = six ? stop : colon != NULL ? colon : end;
    if (host_end == NULL || host_end <= at + six || host_end - at >= 256)
        return false;
    snprintf(place->host, sizeof(place->host), "%.*s", (int)(host_end - at - six), at + six);
    snprintf(place->port, sizeof(place->port), "80");
    if (colon == NULL)
        return host_end + six == end;
    const size_t digits = strspn(colon + 1, "0123456789");
    snprintf(place->port, sizeof(place->port), "%.*s", (int)digits, colon + 1);
    return colon == host_end + six && digits > 0 && digits <= 5 && colon + 1 + digits == end;
}

static bool read_url(struct place *place, const char *url)
{
    if (strncmp(url, SCHEME, strlen(SCHEME)) != 0)
        return false;
    for (const char *c = url; *c != '\0'; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    const char *at = url + strlen(SCHEME), *end = at + strcspn(at, "/?#");
    place->path = end;
    return *end == '/' && memchr(at, '@', (size_t)(end - at)) == NULL && read_host(place, at, end);
}

bool webhook_check(const char *url)
{
    struct place place;
    return read_url(&place, url);
}

/* Sets the time limit of the next call to the time left until `until_ns`. The option is SO_SNDTIMEO
 * (send, connect) or SO_RCVTIMEO (receive). Returns false with errno if no time is left. */
static bool limit(int fd, int option, int64_t until_ns)
{
    const int64_t left_ns = until_ns - clock_now_ns();
    const struct timeval left = {.tv_sec = left_ns / NS_PER_SEC,
                                 .tv_usec = left_ns % NS_PER_SEC / NS_PER_US};
    /* Both fields 0 would mean no limit. */
    if (left_ns >= NS_PER_US && setsockopt(fd, SOL_SOCKET, option, &left, sizeof(left)) == 0)
        return true;
    errno = ETIMEDOUT;
    return false;
}

/* Returns a connected socket, or −1 with errno. */
static int connect_to(const struct addrinfo *address, int64_t until_ns)
{
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (limit(fd, SO_SNDTIMEO, min_i64(until_ns, clock_now_ns() + CONNECT_NS)) &&
        connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return fd;
    const int code = errno;
    close(fd);
    errno = code;
    return -1;
}

static int open_place(const struct place *place, int64_t until_ns)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int fd = -1;
    if (getaddrinfo(place->host, place->port, &hints, &found) != 0) {
        errno = EHOSTUNREACH;
        return -1;
    }
    for (struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
        fd = connect_to(a, until_ns);
    freeaddrinfo(found);
    return fd;
}

static int send_all(int fd, const char *text, size_t bytes, int64_t until_ns)
{
    while (bytes > 0) {
        if (!limit(fd, SO_SNDTIMEO, until_ns))
            return -1;
        ssize_t n = send(fd, text, bytes, MSG_NOSIGNAL);
        if (n < 0)
            return -1;
        text += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Returns the HTTP status of the answer, or 0 if there is no answer. */
static int read_status(int fd, int64_t until_ns)
{
    char line[16] = "";
    ssize_t n =
        limit(fd, SO_RCVTIMEO, until_ns) ? recv(fd, line, sizeof(line) - 1, MSG_WAITALL) : -1;
    int status = 0;
    return n > 0 && sscanf(line, "HTTP/1.%*1d %3d", &status) == 1 ? status : 0;
}

/* Sends the request and returns the HTTP status of the answer, or 0 if there is no answer. */
static int talk(int fd, const struct place *place, const char *text, int64_t until_ns)
{
    char *head;
    const bool six = strchr(place->host, ':') != NULL;
    if (asprintf(&head,
                 "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nContent-Type: "
                 "application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                 place->path, six ? "[" : "", place->host, six ? "]" : "", place->port,
                 strlen(text)) < 0)
        checked_alloc(NULL);
    int status = 0;
    if (send_all(fd, head, strlen(head), until_ns) == 0 &&
        send_all(fd, text, strlen(text), until_ns) == 0)
        status = read_status(fd, until_ns);
    free(head);
    return status;
}

/* Logs a failure without the path of the address, which may contain a secret. */
static void warn(const struct place *place, const char *why)
{
    log_text(LOG_WARNING, "webhook at %s:%s: %s", place->host, place->port, why);
}

/* Sends the text as JSON. Gives up at `until_ns` (CLOCK_MONOTONIC). Logs a warning if the webhook
 * does not answer with a status of 200 to 299. */
static void post(const char *url, const char *text, int64_t until_ns)
{
    struct place place;
    char why[64];
    if (!read_url(&place, url))
        return;
    int fd = open_place(&place, until_ns);
    if (fd < 0) {
        warn(&place, strerror(errno));
        return;
    }
    int status = talk(fd, &place, text, until_ns);
    close(fd);
    if (status >= 200 && status <= 299)
        return;
    snprintf(why, sizeof(why), "status %d", status);
    warn(&place, status != 0 ? why : "no answer");
}

/* The queue of a webhook. */

struct webhook {
    char *url;
    pthread_t thread;
    pthread_mutex_t mutex; /* protects the fields below */
    pthread_cond_t moved;  /* signalled when one of them changes */
    char **text;           /* texts to send, oldest first */
    size_t count;
    int64_t end_ns; /* time after which nothing is sent; INT64_MAX until it is known */
    bool over;      /* the thread sends nothing more */
};

/* Waits for the next text and returns it; the caller frees it. Sets *until_ns to the time limit for
 * sending it. Returns NULL if no text is left and the end was announced, or if `end_ns` is over. */
static char *take(struct webhook *w, int64_t *until_ns)
{
    char *text = NULL;
    pthread_mutex_lock(&w->mutex);
    while (w->count == 0 && w->end_ns == INT64_MAX)
        pthread_cond_wait(&w->moved, &w->mutex);
    if (w->count > 0 && clock_now_ns() < w->end_ns) {
        text = w->text[0];
        w->count--;
        for (size_t i = 0; i < w->count; i++)
            w->text[i] = w->text[i + 1];
    }
    *until_ns = min_i64(w->end_ns, clock_now_ns() + WEBHOOK_NS);
    pthread_mutex_unlock(&w->mutex);
    return text;
}

static void *work(void *arg)
{
    struct webhook *w = arg;
    int64_t until_ns;
    for (char *text; (text = take(w, &until_ns)) != NULL; free(text))
        post(w->url, text, until_ns);
    if (w->count > 0)
        log_text(LOG_WARNING, "a webhook did not receive %zu notifications, because the service "
                              "has ended",
                 w->count);
    pthread_mutex_lock(&w->mutex);
    w->over = true;
    pthread_cond_signal(&w->moved);
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

static void destroy(struct webhook *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->text[i]);
    pthread_mutex_destroy(&w->mutex);
    pthread_cond_destroy(&w->moved);
    free(w->text);
    free(w->url);
    free(w);
}

struct webhook *webhook_start(const char *url)
{
    struct webhook *w = xcalloc(1, sizeof(*w));
    w->url = xstrdup(url);
    w->end_ns = INT64_MAX;
    pthread_mutex_init(&w->mutex, NULL);
    thread_condition_init(&w->moved);
    if (thread_start_quiet(&w->thread, work, w) == 0)
        return w;
    log_text(LOG_WARNING, "cannot start a thread for a webhook");
    destroy(w);
    return NULL;
}

void webhook_put(struct webhook *w, char *text)
{
    pthread_mutex_lock(&w->mutex);
    w->text = xrealloc(w->text, (w->count + 1) * sizeof(*w->text));
    w->text[w->count++] = text;
    pthread_cond_signal(&w->moved);
    pthread_mutex_unlock(&w->mutex);
}

void webhook_end(struct webhook *w, int64_t end_ns)
{
    pthread_mutex_lock(&w->mutex);
    w->end_ns = end_ns;
    pthread_cond_signal(&w->moved);
    pthread_mutex_unlock(&w->mutex);
}

void webhook_destroy(struct webhook *w)
{
    pthread_mutex_lock(&w->mutex);
    const struct timespec until = clock_timespec(clock_after_ns(w->end_ns, SPARE_NS));
    while (!w->over && pthread_cond_timedwait(&w->moved, &w->mutex, &until) == 0)
        continue;
    const bool over = w->over;
    pthread_mutex_unlock(&w->mutex);
    if (over) {
        pthread_join(w->thread, NULL);
        destroy(w);
    } else {
        pthread_detach(w->thread);
    }
}
