/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live/prom_server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/listen.h"
#include "base/log.h"
#include "base/util.h"
#include "options/addresses.h"
#include "report/live/openmetrics.h"

#define EMPTY_PAGE "# EOF\n"
#define IDLE_SECONDS 10u
#define MAX_CONNECTIONS 16u

struct prom_server {
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* protects the page: the reporter replaces it, the server's thread
                           * copies it */
    char *page;
    size_t bytes;
};

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status, const char *type,
                               const char *text, size_t bytes)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(bytes, (void *)text, MHD_RESPMEM_MUST_COPY);
    if (response == NULL)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **state)
{
    static const char elsewhere[] = "The metrics are at /metrics.\n";
    struct prom_server *server = arg;
    (void)version, (void)upload, (void)upload_bytes, (void)state;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return respond(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", elsewhere,
                       strlen(elsewhere));
    if (strcmp(url, "/metrics") != 0)
        return respond(connection, MHD_HTTP_NOT_FOUND, "text/plain", elsewhere, strlen(elsewhere));
    pthread_mutex_lock(&server->lock);
    enum MHD_Result result =
        respond(connection, MHD_HTTP_OK, OPENMETRICS_CONTENT_TYPE, server->page, server->bytes);
    pthread_mutex_unlock(&server->lock);
    return result;
}

static int listen_for_prom(const char *address, const struct listen_address *where)
{
    char *option;
    if (asprintf(&option, "--prom=%s", address) < 0)
        checked_alloc(NULL);
    int fd = listen_at(option, where->host, where->port);
    free(option);
    return fd;
}

/* Logs the address of the page. If standard output is meant for other programs, uses standard
 * error. */
static void log_address(int fd, bool text)
{
    char url[LISTEN_URL_BYTES];
    listen_url(fd, url);
    if (url[0] == '\0')
        return;
    if (text)
        log_text(LOG_NOTICE, "Metrics: %s/metrics\n", url);
    else
        log_bare("Metrics: %s/metrics", url);
}

/* Starts the server's thread with signals blocked: signals are handled in the main thread. */
static struct MHD_Daemon *start_daemon(struct prom_server *server, int fd)
{
    interrupt_mask();
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, server,
                         MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
                         MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS, MHD_OPTION_END);
    interrupt_unmask();
    return daemon;
}

const char *prom_server_library(void)
{
    static char text[64];
    snprintf(text, sizeof(text), "libmicrohttpd %s", MHD_get_version());
    return text;
}

int prom_server_check(void)
{
    return 0;
}

struct prom_server *prom_server_start(const char *address, bool text)
{
    struct listen_address where;
    if (!listen_address_parse(&where, address))
        return NULL;
    int fd = listen_for_prom(address, &where);
    listen_address_fini(&where);
    if (fd < 0)
        return NULL;

    struct prom_server *server = xcalloc(1, sizeof(*server));
    pthread_mutex_init(&server->lock, NULL);
    prom_server_publish(server, xstrdup(EMPTY_PAGE), strlen(EMPTY_PAGE));
    server->daemon = start_daemon(server, fd);
    if (server->daemon != NULL) {
        log_address(fd, text);
        return server;
    }
    log_text(LOG_FATAL, "--prom=%s: cannot start the web server", address);
    close(fd);
    prom_server_stop(server);
    return NULL;
}

void prom_server_stop(struct prom_server *server)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    pthread_mutex_destroy(&server->lock);
    free(server->page);
    free(server);
}

void prom_server_publish(struct prom_server *server, char *page, size_t bytes)
{
    pthread_mutex_lock(&server->lock);
    char *old = server->page;
    server->page = page;
    server->bytes = bytes;
    pthread_mutex_unlock(&server->lock);
    free(old);
}
