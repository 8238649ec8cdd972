/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/server.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/util.h"
#include "service/serve/gate.h"
#include "service/serve/guard.h"
#include "service/serve/lanes.h"
#include "service/serve/site.h"
#include "service/serve/stream.h"
#include "service/serve/visitors.h"

/* Threads of each lane. A single thread writes to the archive, because SQLite allows one writer at
 * a time. */
static const unsigned threads[LANES] = {
    [LANE_LIGHT] = 3, [LANE_PAGE] = 2, [LANE_HEAVY] = 2, [LANE_WRITE] = 1, [LANE_STREAM] = 1};
/* Tasks that may wait in each lane. All connections may wait for the next part of their answer. */
static const unsigned waiting_max[LANES] = {[LANE_LIGHT] = 64,
                                            [LANE_PAGE] = 64,
                                            [LANE_HEAVY] = 64,
                                            [LANE_WRITE] = 64,
                                            [LANE_STREAM] = VISITORS_MAX};
/* Reports that may be added or wait for it at the same time. Each of them is kept in memory. */
#define UPLOADS_MAX 4

struct server {
    struct service *service;
    struct MHD_Daemon *daemon;
    int fd;
    struct visitors *visitors;
    struct gate *gate;
    struct lane *lane[LANES];
    atomic_uint uploads;
};

/* One request. It belongs to the thread of the web server, but from lane_submit() to the end of the
 * task it belongs to the lane. */
struct request {
    struct lane_task task; /* must be the first field, see handle() */
    struct server *server;
    struct MHD_Connection *connection;
    struct visitor *visitor;
    struct exchange x;
    size_t body_room;
    bool headed;  /* take_header() was called */
    bool uploads; /* this request is counted in server->uploads */
    bool done;    /* the handler has written the answer */
};

/* Sending of answers. */

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (value != NULL)
        MHD_add_response_header(response, name, value);
}

static void add_headers(struct MHD_Response *response, const struct exchange *x)
{
    add_header(response, "Content-Type", x->type);
    add_header(response, "Content-Security-Policy", x->policy);
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "X-Frame-Options", "DENY");
    add_header(response, "Referrer-Policy", "no-referrer");
    add_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    add_header(response, "Cache-Control", "no-store");
    add_header(response, "Location", x->location);
    add_header(response, "Set-Cookie", x->cookie);
    add_header(response, "WWW-Authenticate", x->status == 401 ? "Bearer" : NULL);
    add_header(response, "Retry-After", x->status == 503 ? "1" : NULL);
    add_header(response, "Allow", x->allow);
    add_header(response, "Connection", "close"); /* see gate.h */
}

/* Returns the answer that the handler has written, or NULL. The answer then owns the text. */
static struct MHD_Response *make_answer(struct request *r)
{
    struct exchange *x = &r->x;
    if (x->error != NULL)
        site_print_error(x);
    if (fclose(x->out) != 0)
        checked_alloc(NULL);
    x->out = NULL;
    if (x->error == NULL && x->report != NULL) {
        struct archive_stream *report = x->report;
        x->report = NULL;
        return stream_response(report, x->report_bytes, r->connection,
                               r->server->lane[LANE_STREAM]);
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(x->bytes, x->text, MHD_RESPMEM_MUST_FREE);
    if (response != NULL)
        x->text = NULL;
    return response;
}

/* Sends the answer, and frees the body of the request. */
static enum MHD_Result send_answer(struct request *r)
{
    struct exchange *x = &r->x;
    struct MHD_Response *response = make_answer(r);
    if (response == NULL)
        return MHD_NO;
    free(x->body);
    x->body = NULL;
    add_headers(response, x);
    atomic_fetch_add(&r->server->service->answers[x->status % SERVICE_STATUSES], 1);
    visitor_set(r->server->visitors, r->visitor, VISITOR_RECEIVES,
                x->text == NULL ? (int64_t)x->bytes : STREAM_HOLDS_BYTES);
    enum MHD_Result result = MHD_queue_response(r->connection, x->status, response);
    MHD_destroy_response(response);
    return result;
}

/* Receiving of requests. */

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_header(void *arg, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    struct guard_facts *facts = arg;
    (void)kind, (void)value;
    facts->hosts += strcasecmp(name, "Host") == 0;
    facts->lengths += strcasecmp(name, "Content-Length") == 0;
    return MHD_YES;
}

static struct guard_facts read_facts(struct MHD_Connection *connection, const char *method,
                                     const char *path)
{
    struct guard_facts facts = {
        .method = method,
        .path = path,
        .host = header_of(connection, "Host"),
        .origin = header_of(connection, "Origin"),
        .authorization = header_of(connection, "Authorization"),
        .session = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, SERVICE_COOKIE),
        .type = header_of(connection, "Content-Type"),
        .length = header_of(connection, "Content-Length"),
        .transfer = header_of(connection, "Transfer-Encoding"),
        .own = header_of(connection, GUARD_HEADER)};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &facts);
    return facts;
}

static enum MHD_Result take_query(void *arg, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    struct exchange *x = arg;
    (void)kind;
    if (x->queries == EXCHANGE_QUERIES) {
        exchange_fail(x, 400, "at most %d values are allowed after the ? of the address",
                      EXCHANGE_QUERIES);
        return MHD_NO;
    }
    x->query[x->queries++] =
        (struct exchange_pair){.name = xstrdup(name), .value = xstrdup(value != NULL ? value : "")};
    return MHD_YES;
}

static void make_body(struct request *r, const char *length)
{
    r->body_room = r->x.error == NULL && length != NULL ? (size_t)atoll(length) : 0;
    r->x.body = checked_alloc(malloc(r->body_room + 1));
    r->x.body[0] = '\0';
}

/* Called with the address of a request as the client has sent it. Returns the request. */
static void *begin(void *arg, const char *address, struct MHD_Connection *connection)
{
    struct server *server = arg;
    struct request *r = xcalloc(1, sizeof(*r));
    r->server = server;
    r->connection = connection;
    r->visitor =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    exchange_init(&r->x, server->service);
    /* The library decodes the address and would take the rest for absent. */
    if (strstr(address, "%00") != NULL)
        exchange_fail(&r->x, 400, "the address contains a zero byte");
    return r;
}

/* Called when the header of a request has been received. */
static enum MHD_Result take_header(struct request *r, const struct guard_facts *facts)
{
    r->headed = true;
    if (r->x.error == NULL && guard_pass(&r->x, facts))
        MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, take_query, &r->x);
    make_body(r, facts->length);
    visitor_set(r->server->visitors, r->visitor, VISITOR_GIVES, (int64_t)r->body_room);
    return r->x.error != NULL ? send_answer(r) : MHD_YES;
}

static enum MHD_Result take_body(struct request *r, const char *bytes, size_t *count)
{
    if (*count > r->body_room - r->x.body_bytes)
        return MHD_NO;
    memcpy(r->x.body + r->x.body_bytes, bytes, *count);
    r->x.body_bytes += *count;
    r->x.body[r->x.body_bytes] = '\0';
    *count = 0;
    return MHD_YES;
}

/* Runs in a thread of a lane. */
static void handle(struct lane_task *task, struct archive *archive)
{
    struct request *r = (struct request *)task;
    r->x.archive = archive;
    if (archive != NULL)
        r->x.route->handle(&r->x);
    else
        exchange_fail(&r->x, 503, "the archive cannot be read at the moment");
    if (r->x.status >= 500 && r->x.error != NULL && archive != NULL)
        log_text(LOG_WARNING, "serve: %s", r->x.error);
    r->done = true;
    MHD_resume_connection(r->connection);
}

/* Limits the number of uploads that wait, because of the memory that they need. */
static void count_upload(struct request *r)
{
    if (r->x.route->body != BODY_REPORT)
        return;
    r->uploads = true;
    if (atomic_fetch_add(&r->server->uploads, 1) >= UPLOADS_MAX)
        exchange_fail(&r->x, 503, "%d reports are being added at the moment: try again soon",
                      UPLOADS_MAX);
}

/* Called when the whole request has been received. */
static enum MHD_Result submit(struct request *r)
{
    struct server *server = r->server;
    count_upload(r);
    if (r->x.error != NULL)
        return send_answer(r);
    visitor_set(server->visitors, r->visitor, VISITOR_WAITS, 0);
    r->task.run = handle;
    MHD_suspend_connection(r->connection);
    if (!lane_submit(server->lane[r->x.route->lane], &r->task)) {
        exchange_fail(&r->x, 503, "too many requests are waiting: try again soon");
        r->done = true;
        MHD_resume_connection(r->connection);
    }
    return MHD_YES;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *bytes,
                              size_t *count, void **state)
{
    struct request *r = *state;
    (void)arg, (void)version;
    if (!r->headed) {
        const struct guard_facts facts = read_facts(connection, method, path);
        return take_header(r, &facts);
    }
    if (*count > 0)
        return take_body(r, bytes, count);
    return r->done ? send_answer(r) : submit(r);
}

static void end_request(void *arg, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode why)
{
    struct request *r = *state;
    struct server *server = arg;
    (void)connection, (void)why;
    if (r == NULL)
        return;
    if (r->uploads)
        atomic_fetch_sub(&server->uploads, 1);
    visitor_set(server->visitors, r->visitor, VISITOR_SILENT, 0);
    exchange_fini(&r->x);
    free(r);
    *state = NULL;
}

/* Connections and the life of the server. */

static void connect_or_leave(void *arg, struct MHD_Connection *connection, void **context,
                             enum MHD_ConnectionNotificationCode what)
{
    struct server *server = arg;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        visitor_leave(server->visitors, *context);
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = visitor_find(server->visitors, info->connect_fd);
}

/* Takes a connection of the gate. */
static void pass(void *arg, struct visitor *visitor)
{
    const struct sockaddr_in unused = {.sin_family = AF_INET};
    struct server *server = arg;
    visitor_set(server->visitors, visitor, VISITOR_GIVES, 0);
    /* On failure the library has closed the socket. */
    if (MHD_add_connection(server->daemon, visitor_fd(visitor), (const struct sockaddr *)&unused,
                           sizeof(unused)) != MHD_YES)
        visitor_leave(server->visitors, visitor);
}

/* The daemon's thread is started with signals masked, so that the main thread receives them. */
static struct MHD_Daemon *start_daemon(struct server *server)
{
    const unsigned idle_s = (unsigned)(server->service->request_ns / NS_PER_SEC) + 1;
    interrupt_mask();
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
        NULL, NULL, answer, server, MHD_OPTION_CONNECTION_TIMEOUT, idle_s,
        MHD_OPTION_CONNECTION_LIMIT, 2U * VISITORS_MAX, MHD_OPTION_URI_LOG_CALLBACK, begin, server,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, server, MHD_OPTION_NOTIFY_CONNECTION,
        connect_or_leave, server, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    interrupt_unmask();
    return daemon;
}

const char *server_library(void)
{
    static char text[64];
    snprintf(text, sizeof(text), "libmicrohttpd %s", MHD_get_version());
    return text;
}

struct server *server_start(int fd, struct service *service)
{
    struct server *server = xcalloc(1, sizeof(*server));
    server->service = service;
    server->fd = fd;
    server->visitors = visitors_create(service);
    bool good = true;
    for (int i = 0; i < LANES; i++) {
        server->lane[i] = lane_create(service->folder, threads[i], waiting_max[i],
                                      i == LANE_PAGE || i == LANE_HEAVY || i == LANE_WRITE);
        good = good && server->lane[i] != NULL;
    }
    if (good)
        server->daemon = start_daemon(server);
    if (server->daemon != NULL)
        server->gate = gate_start(fd, service, server->visitors, pass, server);
    if (server->gate != NULL)
        return server;
    log_text(LOG_FATAL, "serve: cannot start the web server");
    server_stop(server);
    return NULL;
}

void server_wait(struct server *server)
{
    (void)server;
    while (interrupt_signal() == 0)
        interrupt_wait(INT64_MAX);
}

void server_stop(struct server *server)
{
    if (server == NULL)
        return;
    gate_stop(server->gate);
    for (int i = 0; i < LANES; i++)
        if (server->lane[i] != NULL)
            lane_close(server->lane[i]);
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    close(server->fd);
    for (int i = 0; i < LANES; i++)
        lane_destroy(server->lane[i]);
    visitors_destroy(server->visitors);
    free(server);
}
