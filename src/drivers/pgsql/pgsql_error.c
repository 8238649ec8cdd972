/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of the PostgreSQL driver: meaning of SQLSTATEs, and error messages. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"

bool pgsql_is_state(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == PGSQL_STATE_BYTES;
}

bool pgsql_is_lost(const char *state)
{
    /* server shuts down, has crashed, starts up; idle session was ended */
    static const char *const states[] = {"57P01", "57P02", "57P03", "57P05"};

    /* Class 08 is "connection exception". 08P01 is an exception: the connection works, but the
     * server does not accept a message. */
    if (strncmp(state, "08", 2) == 0)
        return strcmp(state, "08P01") != 0;
    for (size_t i = 0; i < ARRAY_SIZE(states); i++)
        if (strcmp(state, states[i]) == 0)
            return true;
    return false;
}

/* True if the server's session has other prepared statements than this connection has prepared. In
 * this case other clients use the same session, and a name may mean another statement. */
static bool has_other_statements(const char *state)
{
    return strcmp(state, PGSQL_STATE_NO_STATEMENT) == 0 ||
           strcmp(state, PGSQL_STATE_STATEMENT_EXISTS) == 0;
}

static bool is_ignored(const struct pgsql_shared *s, const char *state, bool lost)
{
    if (s->ignore_all || (s->ignore_lost && lost))
        return true;
    for (unsigned i = 0; s->ignored != NULL && s->ignored[i] != NULL; i++)
        if (strcmp(s->ignored[i], state) == 0)
            return true;
    return false;
}

/* Returns the punctuation between two joined lines: "" if the first ends with punctuation. */
static const char *line_joint(char last, char next)
{
    if (strchr(".,:;?!", last) != NULL)
        return "";
    return next >= 'A' && next <= 'Z' ? "." : ";";
}

void pgsql_one_line(char *to, size_t bytes, const char *text)
{
    static const char blanks[] = "\n\t ";
    size_t used = 0;

    to[0] = '\0';
    for (text += strspn(text, blanks); *text != '\0';) {
        size_t word = strcspn(text, blanks), gap = strspn(text + word, blanks);
        const char *next = text + word + gap;
        bool ends = memchr(text + word, '\n', gap) != NULL && *next != '\0';
        int length =
            snprintf(to + used, bytes - used, "%.*s%s%s", (int)word, text,
                     ends ? line_joint(text[word - 1], *next) : "", *next != '\0' ? " " : "");
        used += (size_t)length;
        if (used >= bytes)
            return;
        text = next;
    }
}

/* Returns what to add to the message of an error that a pooler has caused, or "". Poolers report
 * some errors of their own with the SQLSTATE of a protocol error (08P01). */
static const char *pooler_hint(const char *state, const char *text)
{
    if (has_other_statements(state))
        return "; a pooler in transaction mode is the likely cause: connect to the server itself, "
               "or "
               "use --db-ps-mode=disable if a test prepares its statements";
    if (strstr(text, "statement pooling mode") != NULL)
        return "; the pooler must be in transaction mode, or use --skip_trx and "
               "--db-ps-mode=disable with oltp_* tests";
    if (strstr(text, "query_wait_timeout") != NULL)
        return "; all sessions of the pooler were in use: use fewer --threads, or a larger pool";
    return strcmp(state, "08P01") == 0 && strstr(text, "max_client_conn") == NULL
               ? "; a pooler is the likely cause: try --db-ps-mode=disable"
               : "";
}

enum driver_status pgsql_fail_with(struct driver_conn *conn, const char *state, const char *text,
                                   bool lost)
{
    char message[sizeof(conn->error.message)];

    pgsql_one_line(message, sizeof(message), text);
    const bool fatal = has_other_statements(state);
    driver_fail(conn, 0, state, !fatal && is_ignored(conn->shared, state, lost), "%s%s",
                message[0] != '\0' ? message : "an unexpected answer, without a message",
                pooler_hint(state, message));
    conn->error.connection_lost = lost;
    conn->error.fatal = fatal;
    return DRIVER_ERROR;
}

enum driver_status pgsql_fail(struct driver_conn *conn, const PGresult *result)
{
    struct pgsql_connection *c = conn->handle;
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    bool lost = PQstatus(c->pg) == CONNECTION_BAD || (state != NULL && pgsql_is_lost(state));

    if (state == NULL)
        state = lost ? PGSQL_STATE_LOST : "";
    return pgsql_fail_with(conn, state, text != NULL ? text : PQerrorMessage(c->pg), lost);
}

const char *pgsql_connect_advice(const struct driver_conn *conn)
{
    static const struct {
        const char *state, *advice;
    } rows[] = {
        {PGSQL_STATE_UNREACHABLE,
         "Check that the server is running at the address in --pgsql-host and --pgsql-port."},
        {PGSQL_STATE_REFUSED, "Check --pgsql-user, --pgsql-password and --pgsql-sslmode."},
        {"28", "Check --pgsql-user and --pgsql-password."},
        {"3D", "Create this database for the user, or choose another one with --pgsql-db."},
        {"53", "The server does not accept more connections: use fewer --threads, or raise its "
               "max_connections."},
    };

    /* A pooler reports this with the SQLSTATE of a protocol error. */
    if (strstr(conn->error.message, "max_client_conn") != NULL)
        return "The pooler does not accept more connections: use fewer --threads, or raise its "
               "max_client_conn.";
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strncmp(conn->error.state, rows[i].state, strlen(rows[i].state)) == 0)
            return rows[i].advice;
    return NULL;
}
