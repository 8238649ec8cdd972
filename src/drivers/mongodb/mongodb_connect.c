/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"
#include "drivers/server.h"

/* Enough for a path in which every byte is written as "%2F". */
#define URI_BYTES (3 * SERVER_HOST_BYTES + 64)
/* Longest time in ms that the library accepts, used for "never". */
#define NEVER_MS INT32_MAX

static void find_place(struct server_place *place, const struct driver_conn *conn)
{
    const struct mongodb_shared *s = conn->shared;

    server_find_place(s->hosts, s->ports, conn->number, conn->elsewhere, place);
}

/* Writes the list of hosts in a connection string: "a:27017,b:27018". */
static void write_hosts(const char *uri, char *name, size_t bytes)
{
    const char *hosts = strstr(uri, "://");
    hosts = hosts != NULL ? hosts + 3 : uri;
    const char *user_end = strchr(hosts, '@');
    hosts = user_end != NULL ? user_end + 1 : hosts;

    snprintf(name, bytes, "%.*s", (int)strcspn(hosts, "/?"), hosts);
}

bool mongodb_where(const struct driver_conn *conn, char *name, size_t bytes)
{
    const struct mongodb_shared *s = conn->shared;
    struct server_place place;

    if (s->uri != NULL && conn->elsewhere == NULL) {
        write_hosts(s->uri, name, bytes);
        return server_is_local(strncmp(name, "localhost", 9) == 0 ? "localhost" : name);
    }
    find_place(&place, conn);
    snprintf(name, bytes, "host '%s', port %s", place.host, place.port);
    return server_is_local(place.host);
}

unsigned mongodb_servers(const void *shared)
{
    const struct mongodb_shared *s = shared;

    return s->uri != NULL ? 1 : server_count(s->hosts, s->ports);
}

void mongodb_server_name(const void *shared, unsigned server, char *name, size_t bytes)
{
    const struct mongodb_shared *s = shared;

    if (s->uri != NULL)
        write_hosts(s->uri, name, bytes);
    else
        server_write_name(s->hosts, s->ports, server, name, bytes);
}

/* Writes "mongodb://HOST:PORT/", or for a socket "mongodb://PATH/" with slashes written as %2F. */
static void write_uri(const struct server_place *place, char *uri, size_t bytes)
{
    size_t used = (size_t)snprintf(uri, bytes, "mongodb://");

    if (place->host[0] != '/') {
        const bool brackets = strchr(place->host, ':') != NULL;
        snprintf(uri + used, bytes - used, brackets ? "[%s]:%s/" : "%s:%s/", place->host,
                 place->port);
        return;
    }
    for (const char *p = place->host; *p != '\0' && used + 4 < bytes; p++)
        used += (size_t)snprintf(uri + used, bytes - used, "%%%02X", (unsigned char)*p);
    snprintf(uri + used, bytes - used, "/");
}

static mongoc_uri_t *make_uri(const struct driver_conn *conn, bson_error_t *error)
{
    const struct mongodb_shared *s = conn->shared;
    struct server_place place;
    char text[URI_BYTES];

    if (s->uri != NULL && conn->elsewhere == NULL)
        return mongoc_uri_new_with_error(s->uri, error);
    find_place(&place, conn);
    write_uri(&place, text, sizeof(text));
    mongoc_uri_t *uri = mongoc_uri_new_with_error(text, error);
    if (uri != NULL)
        mongoc_uri_set_option_as_bool(uri, MONGOC_URI_DIRECTCONNECTION, true);
    return uri;
}

static void set_user(const struct mongodb_shared *s, mongoc_uri_t *uri, const char *password)
{
    if (s->user != NULL) {
        mongoc_uri_set_username(uri, s->user);
        mongoc_uri_set_auth_source(uri, s->auth_source);
    }
    /* The user may also be part of the connection string. */
    if (password != NULL && mongoc_uri_get_username(uri) != NULL)
        mongoc_uri_set_password(uri, password);
}

static void set_tls(const struct mongodb_shared *s, mongoc_uri_t *uri)
{
    if (strcmp(s->tls, "disable") == 0)
        return;
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_TLS, true);
    if (strcmp(s->tls, "require") == 0)
        mongoc_uri_set_option_as_bool(uri, MONGOC_URI_TLSALLOWINVALIDCERTIFICATES, true);
    if (strcmp(s->tls, "verify-full") != 0)
        mongoc_uri_set_option_as_bool(uri, MONGOC_URI_TLSALLOWINVALIDHOSTNAMES, true);
    if (s->tls_ca != NULL)
        mongoc_uri_set_option_as_utf8(uri, MONGOC_URI_TLSCAFILE, s->tls_ca);
    if (s->tls_cert != NULL)
        mongoc_uri_set_option_as_utf8(uri, MONGOC_URI_TLSCERTIFICATEKEYFILE, s->tls_cert);
}

static int32_t in_ms(unsigned seconds)
{
    return seconds == 0 || seconds > NEVER_MS / 1000 ? NEVER_MS : (int32_t)seconds * 1000;
}

/* Sets the timeouts, and turns off retries and background checks of the library. */
static void set_times(const struct driver_conn *conn, mongoc_uri_t *uri)
{
    const struct {
        const char *name;
        int32_t ms;
    } times[] = {
        {MONGOC_URI_CONNECTTIMEOUTMS, in_ms(conn->connect_timeout_s)},
        {MONGOC_URI_SERVERSELECTIONTIMEOUTMS, in_ms(conn->connect_timeout_s)},
        {MONGOC_URI_SOCKETTIMEOUTMS, in_ms(conn->answer_timeout_s)},
        {MONGOC_URI_HEARTBEATFREQUENCYMS, NEVER_MS},
        {MONGOC_URI_SOCKETCHECKINTERVALMS, NEVER_MS},
    };

    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        mongoc_uri_set_option_as_int32(uri, times[i].name, times[i].ms);
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_SERVERSELECTIONTRYONCE, true);
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_RETRYREADS, false);
    mongoc_uri_set_option_as_bool(uri, MONGOC_URI_RETRYWRITES, false);
}

static mongoc_client_t *make_client(const struct driver_conn *conn, const char *name,
                                    const char *password, bson_error_t *error)
{
    mongoc_client_t *client = NULL;
    mongoc_uri_t *uri = make_uri(conn, error);

    if (uri == NULL)
        return NULL;
    set_user(conn->shared, uri, password);
    set_tls(conn->shared, uri);
    set_times(conn, uri);
    mongoc_uri_set_option_as_utf8(uri, MONGOC_URI_APPNAME, name);
    client = mongoc_client_new_from_uri_with_error(uri, error);
    mongoc_uri_destroy(uri);
    if (client != NULL)
        mongoc_client_set_error_api(client, MONGOC_ERROR_API_VERSION_2);
    return client;
}

/* Connections of workers have the same name. A connection that may be cancelled has a unique
 * name. */
static void write_name(const struct driver_conn *conn, char *name)
{
    static _Atomic(unsigned) count;

    if (conn->may_cancel)
        snprintf(name, MONGODB_NAME_BYTES, "sysrate %ld-%u-%" PRIx64, (long)getpid(), ++count,
                 (uint64_t)clock_now_ns());
    else
        snprintf(name, MONGODB_NAME_BYTES, "sysrate");
}

static void destroy(struct driver_conn *conn)
{
    struct mongodb_connection *c = conn->handle;

    mongodb_forget(conn);
    /* Discards sessions without sending anything to the server, which may be down. */
    mongoc_client_reset(c->client);
    mongoc_client_destroy(c->client);
    for (unsigned i = 0; i < c->room; i++)
        free(c->reply[i]);
    free(c->reply);
    free(c->field_text);
    free(c);
    conn->handle = NULL;
}

/* Finds the server, logs in and checks with a ping that it answers. */
static enum driver_status open_client(struct driver_conn *conn, const char *password)
{
    char name[MONGODB_NAME_BYTES];
    bson_error_t error = {0};
    bson_t ping = BSON_INITIALIZER, reply;

    write_name(conn, name);
    mongoc_client_t *client = make_client(conn, name, password, &error);
    if (client == NULL)
        return mongodb_fail(conn, MONGODB_BAD_VALUE, error.message);
    /* The library's types need a larger alignment than malloc() guarantees. */
    struct mongodb_connection *c =
        checked_alloc(aligned_alloc(_Alignof(struct mongodb_connection), sizeof(*c)));
    memset(c, 0, sizeof(*c));
    memcpy(c->name, name, sizeof(name));
    c->client = client;
    conn->handle = c;
    BSON_APPEND_INT32(&ping, "ping", 1);
    enum driver_status status = mongodb_ask(conn, "admin", &ping, false, &reply);
    bson_destroy(&ping);
    if (status == DRIVER_ERROR)
        destroy(conn);
    else
        bson_destroy(&reply);
    return status;
}

static bool is_refused(const struct sql_failure *error)
{
    return error->code == MONGODB_NOT_AUTHENTICATED;
}

enum driver_status mongodb_connect(struct driver_conn *conn)
{
    const struct mongodb_shared *s = conn->shared;

    return password_connect(conn, s->password, open_client, is_refused);
}

void mongodb_disconnect(struct driver_conn *conn)
{
    destroy(conn);
}
