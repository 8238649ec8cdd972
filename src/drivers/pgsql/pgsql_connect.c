/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections of the PostgreSQL driver. Errors are identified by SQLSTATE, because the words of a
 * message depend on the server's language. For a failed connect, libpq shows the SQLSTATE only in
 * the text of a verbose message.
 */
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/server.h"

#define NOT_READ_ONLY                                                                              \
    "the session is not read only, because the server or a pooler does not apply the startup "     \
    "parameter options=-c default_transaction_read_only=on: connect to the server without the "    \
    "pooler, or see docs/replay.md"

static void log_notice(void *arg, const char *message)
{
    char line[512];

    (void)arg;
    pgsql_one_line(line, sizeof(line), message);
    log_text(LOG_DEBUG, "pgsql: %s", line);
}

static void find_place(struct server_place *place, const struct driver_conn *conn)
{
    const struct pgsql_shared *s = conn->shared;

    server_find_place(s->hosts, s->ports, conn->number, conn->elsewhere, place);
}

bool pgsql_where(const struct driver_conn *conn, char *name, size_t bytes)
{
    struct server_place place;

    find_place(&place, conn);
    snprintf(name, bytes, "host '%s', port %s", place.host, place.port);
    return server_is_local(place.host);
}

static PGconn *start_connecting(const struct driver_conn *conn, const char *password)
{
    const struct pgsql_shared *s = conn->shared;
    struct server_place address;
    /* If a password is given, even an empty one, libpq must not read a password file. */
    const char *passfile = password != NULL ? "/dev/null/none" : NULL;
    const struct {
        const char *name, *value;
    } parameters[] = {
        {"host", address.host},
        {"port", address.port},
        {"user", s->user},
        {"password", password},
        {"passfile", passfile},
        {"dbname", s->database},
        {"sslmode", s->sslmode},
        {"sslrootcert", s->sslrootcert},
        {"fallback_application_name", "sysrate"},
        {"options", conn->read_only ? s->read_only_options : NULL},
    };
    const char *names[ARRAY_SIZE(parameters) + 1] = {0};
    const char *values[ARRAY_SIZE(parameters) + 1] = {0};

    find_place(&address, conn);
    for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
        names[i] = parameters[i].name;
        values[i] = parameters[i].value;
    }
    return checked_alloc(PQconnectStartParams(names, values, 0));
}

/*
 * Waits until the connect has succeeded or failed, and returns true. Returns false after the
 * timeout, which applies to all addresses of the host together; libpq's own connect_timeout applies
 * to each address.
 */
static bool finish_connecting(PGconn *pg, unsigned timeout_s)
{
    int64_t end_ns = clock_now_ns() + timeout_s * NS_PER_SEC;
    PostgresPollingStatusType next =
        PQstatus(pg) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;

    while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
        struct pollfd fd = {.fd = PQsocket(pg),
                            .events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        int64_t left_ns = end_ns - clock_now_ns();
        if (left_ns <= 0)
            return false;
        if (poll(&fd, 1, (int)(left_ns / NS_PER_MS) + 1) > 0)
            next = PQconnectPoll(pg);
    }
    return true;
}

/* Returns the SQLSTATE in the server's last message ("...:  28P01: ..."), or NULL if the text
 * contains no message of a server. */
static char *find_state(char *text)
{
    char *found = NULL;

    for (char *p = text; (p = strstr(p, ":  ")) != NULL; p++)
        if (pgsql_is_state(p + 3) && strncmp(p + 8, ": ", 2) == 0)
            found = p + 3;
    return found;
}

/*
 * True if libpq itself has refused the connection, rather than lost it. Only the words of the
 * message show this. They are English, because the program does not call setlocale().
 */
static bool is_refused_by_client(const PGconn *pg, const char *text)
{
    static const char *const words[] = {"certificate", "SSL error", "does not support SSL",
                                        "authentication"};

    if (PQconnectionNeedsPassword(pg))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strstr(text, words[i]) != NULL)
            return true;
    return false;
}

/* True if the server runs but has no free connections or is not ready, so that a later attempt may
 * succeed. */
static bool is_temporary(const char *state)
{
    return pgsql_is_lost(state) || strncmp(state, "53", 2) == 0;
}

/* Removes the parts that only a verbose message has, then fills conn->error. */
static enum driver_status fail_by_server(struct driver_conn *conn, char *text, char *found)
{
    char state[6], *location;

    snprintf(state, sizeof(state), "%s", found);
    memmove(found, found + 7, strlen(found + 7) + 1);
    if ((location = strstr(text, "\nLOCATION:")) != NULL)
        *location = '\0';
    return pgsql_fail_with(conn, state, text, is_temporary(state));
}

static enum driver_status fail_connect(struct driver_conn *conn, const PGconn *pg)
{
    char *text = xstrdup(PQerrorMessage(pg)), *found = find_state(text);
    enum driver_status status;

    /* Only the words of a pooler show this. */
    if (conn->read_only && strstr(text, "unsupported startup parameter") != NULL)
        status = pgsql_fail_with(conn, PGSQL_STATE_READ_WRITE, NOT_READ_ONLY, false);
    else if (found != NULL)
        status = fail_by_server(conn, text, found);
    else if (is_refused_by_client(pg, text))
        status = pgsql_fail_with(conn, PGSQL_STATE_REFUSED, text, false);
    else
        status = pgsql_fail_with(conn, PGSQL_STATE_UNREACHABLE, text, true);
    free(text);
    return status;
}

static enum driver_status fail_timeout(struct driver_conn *conn, const PGconn *pg)
{
    char text[256];

    snprintf(text, sizeof(text), "server at \"%s\", port %s: no answer within %u s", PQhost(pg),
             PQport(pg), conn->connect_timeout_s);
    return pgsql_fail_with(conn, PGSQL_STATE_UNREACHABLE, text, true);
}

void pgsql_disconnect(struct driver_conn *conn)
{
    struct pgsql_connection *c = conn->handle;

    pgsql_forget(conn);
    PQfinish(c->pg);
    free(c->results);
    free(c);
}

static bool is_text(const struct rowset_field *field, const char *text)
{
    return field->text != NULL && strcmp(field->text, text) == 0;
}

/*
 * A pooler in transaction mode may ignore the setting that the connection has asked for. Then the
 * transaction is not read only, or only because another client has set this for the session that
 * the pooler has just chosen.
 */
static enum driver_status check_read_only(struct driver_conn *conn)
{
    static const char question[] =
        "SELECT current_setting('transaction_read_only'), source FROM pg_settings"
        " WHERE name = 'default_transaction_read_only'";
    const enum driver_status status = pgsql_query(conn, question, strlen(question));
    const struct rowset_field *row = status == DRIVER_ROWS ? pgsql_fetch(conn) : NULL;
    const bool good = row != NULL && is_text(&row[0], "on") && !is_text(&row[1], "session");

    pgsql_forget(conn);
    if (!good && status != DRIVER_ERROR)
        pgsql_fail_with(conn, PGSQL_STATE_READ_WRITE, NOT_READ_ONLY, false);
    if (!good)
        pgsql_disconnect(conn);
    return good ? DRIVER_OK : DRIVER_ERROR;
}

static enum driver_status open_connection(struct driver_conn *conn, const char *password)
{
    char names[UNIQUE_BYTES];

    if (unique_write(names) != 0)
        return pgsql_fail_with(conn, "", "the system has no random bits for names", false);
    PGconn *pg = start_connecting(conn, password);
    PQsetErrorVerbosity(pg, PQERRORS_VERBOSE);
    bool answered = finish_connecting(pg, conn->connect_timeout_s);
    if (PQstatus(pg) != CONNECTION_OK) {
        enum driver_status status = answered ? fail_connect(conn, pg) : fail_timeout(conn, pg);
        PQfinish(pg);
        return status;
    }
    PQsetErrorVerbosity(pg, PQERRORS_DEFAULT);
    PQsetNoticeProcessor(pg, log_notice, NULL);
    struct pgsql_connection *c = xcalloc(1, sizeof(*c));
    memcpy(c->names, names, sizeof(names));
    c->pg = pg;
    conn->handle = c;
    conn->more_results = false;
    return conn->read_only ? check_read_only(conn) : DRIVER_OK;
}

/* Class 28 of SQLSTATE: invalid authorization. */
static bool is_refused(const struct sql_failure *error)
{
    return strncmp(error->state, "28", 2) == 0;
}

enum driver_status pgsql_connect(struct driver_conn *conn)
{
    const struct pgsql_shared *s = conn->shared;

    return password_connect(conn, s->password, open_connection, is_refused);
}
