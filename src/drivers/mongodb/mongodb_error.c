/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"

bool mongodb_is_lost(int code)
{
    static const int codes[] = {
        MONGODB_UNREACHABLE,
        MONGODB_NO_HOST,
        MONGODB_LOST,
        89,    /* network timeout */
        91,    /* the server shuts down */
        11600, /* interrupted because the server shuts down */
        189,   /* primary steps down */
        10107, /* the server is not a writable primary */
        11602, /* interrupted by a change of the server's role */
        13435, /* the server is not the primary */
        13436, /* the server is neither primary nor secondary, or is recovering */
    };

    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

static bool is_ignored(const struct mongodb_shared *s, int code)
{
    if (s->ignore_all || (s->ignore_lost && mongodb_is_lost(code)))
        return true;
    for (unsigned i = 0; s->ignored != NULL && s->ignored[i] != NULL; i++)
        if (strtol(s->ignored[i], NULL, 10) == code)
            return true;
    return false;
}

enum driver_status mongodb_fail(struct driver_conn *conn, int code, const char *text)
{
    driver_fail(conn, code, "", is_ignored(conn->shared, code), "%s", text);
    conn->error.connection_lost = mongodb_is_lost(code);
    return DRIVER_ERROR;
}

static bool says(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, words[i]) != NULL)
            return true;
    return false;
}

/* The library reports only in words, always in English, why it has found no server. */
static int code_of_selection(const char *text)
{
    static const char *const tls[] = {"TLS", "SSL", "certificate"};
    static const char *const names[] = {"resolve"};

    if (says(text, tls, ARRAY_SIZE(tls)))
        return MONGODB_BAD_TLS;
    return says(text, names, ARRAY_SIZE(names)) ? MONGODB_NO_HOST : MONGODB_UNREACHABLE;
}

static int code_of(const bson_error_t *error)
{
    switch (error->domain) {
    case MONGOC_ERROR_SERVER:
    case MONGOC_ERROR_WRITE_CONCERN:
        return (int)error->code;
    case MONGOC_ERROR_STREAM:
        return error->code == MONGOC_ERROR_STREAM_NAME_RESOLUTION ? MONGODB_NO_HOST : MONGODB_LOST;
    case MONGOC_ERROR_SERVER_SELECTION:
        return code_of_selection(error->message);
    case MONGOC_ERROR_CLIENT:
        return error->code == MONGOC_ERROR_CLIENT_AUTHENTICATE ? MONGODB_NOT_AUTHENTICATED : 0;
    case MONGOC_ERROR_SASL:
    case MONGOC_ERROR_SCRAM:
        return MONGODB_NOT_AUTHENTICATED;
    case MONGOC_ERROR_PROTOCOL:
        return error->code == MONGOC_ERROR_PROTOCOL_BAD_WIRE_VERSION ? MONGODB_TOO_OLD
                                                                     : MONGODB_LOST;
    case MONGOC_ERROR_BSON:
        return MONGODB_BAD_VALUE;
    default:
        return 0;
    }
}

/* Returns the name of an error for which the server may send only the number: an error of a single
 * document in a write. Returns NULL for other errors. */
static const char *name_of(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {112, "WriteConflict"},
        {121, "DocumentValidationFailure"},
        {11000, "DuplicateKey"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (names[i].code == code)
            return names[i].name;
    return NULL;
}

/* Writes messages as "WriteConflict: ...", with the name of the error first. */
static enum driver_status fail_named(struct driver_conn *conn, int code, const char *name,
                                     const char *text)
{
    char message[sizeof(conn->error.message)];

    if (name == NULL)
        name = name_of(code);
    if (name == NULL)
        return mongodb_fail(conn, code, text);
    snprintf(message, sizeof(message), "%s: %s", name, text);
    return mongodb_fail(conn, code, message);
}

static const char *name_in(const bson_t *reply)
{
    bson_iter_t it;

    if (reply == NULL || !bson_iter_init_find(&it, reply, "codeName") || !BSON_ITER_HOLDS_UTF8(&it))
        return NULL;
    return bson_iter_utf8(&it, NULL);
}

enum driver_status mongodb_fail_with(struct driver_conn *conn, const bson_error_t *error,
                                     const bson_t *reply)
{
    return fail_named(conn, code_of(error), name_in(reply), error->message);
}

enum driver_status mongodb_fail_by(struct driver_conn *conn, const bson_iter_t *document)
{
    const char *name = NULL, *text = "";
    bson_iter_t it;
    int code = 0;

    if (!bson_iter_recurse(document, &it))
        return mongodb_fail(conn, 0, "the server reports an error in a form that is not known");
    while (bson_iter_next(&it)) {
        const char *key = bson_iter_key(&it);
        if (strcmp(key, "code") == 0)
            code = (int)bson_iter_as_int64(&it);
        else if (strcmp(key, "codeName") == 0 && BSON_ITER_HOLDS_UTF8(&it))
            name = bson_iter_utf8(&it, NULL);
        else if (strcmp(key, "errmsg") == 0 && BSON_ITER_HOLDS_UTF8(&it))
            text = bson_iter_utf8(&it, NULL);
    }
    return fail_named(conn, code, name, text);
}

const char *mongodb_connect_advice(const struct driver_conn *conn)
{
    switch (conn->error.code) {
    case MONGODB_UNREACHABLE:
    case MONGODB_NO_HOST:
    case MONGODB_LOST:
        return "Check that the server is running at the address in --mongodb-host and "
               "--mongodb-port, and that it accepts enough connections.";
    case MONGODB_NOT_AUTHENTICATED:
        return "Check --mongodb-user, --mongodb-password and --mongodb-auth-source.";
    case MONGODB_UNAUTHORIZED:
        return "Give the user a role in this database, or choose another one with --mongodb-db.";
    case MONGODB_BAD_TLS:
        return "Check --mongodb-tls, --mongodb-tls-ca and --mongodb-tls-cert.";
    default:
        return NULL;
    }
}
