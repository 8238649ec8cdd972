/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mongodb/mongodb_internal.h"
#include "drivers/server.h"

static void read_ignored(struct mongodb_shared *s, const struct options *options)
{
    s->ignored = options_get(options, "mongodb-ignore-errors")->list;
    unsigned count = server_list_length(s->ignored);

    s->ignore_all = count == 1 && strcmp(s->ignored[0], "all") == 0;
    for (unsigned i = 0; i < count; i++)
        s->ignore_lost = s->ignore_lost || mongodb_is_lost((int)strtol(s->ignored[i], NULL, 10));
}

static void read_write_concern(struct mongodb_shared *s, const struct options *options)
{
    const char *servers = options_string(options, "mongodb-write-concern");
    const bool journal = options_bool(options, "mongodb-journal");

    if (servers == NULL && !journal)
        return;
    s->write_concern = bson_new();
    if (servers != NULL && strcmp(servers, "majority") == 0)
        BSON_APPEND_UTF8(s->write_concern, "w", servers);
    else if (servers != NULL)
        BSON_APPEND_INT32(s->write_concern, "w", (int32_t)strtol(servers, NULL, 10));
    if (journal)
        BSON_APPEND_BOOL(s->write_concern, "j", true);
}

static void read_preference(struct mongodb_shared *s, const struct options *options)
{
    static const mongoc_read_mode_t modes[] = {
        MONGOC_READ_PRIMARY, MONGOC_READ_PRIMARY_PREFERRED, MONGOC_READ_SECONDARY,
        MONGOC_READ_SECONDARY_PREFERRED, MONGOC_READ_NEAREST};
    const unsigned choice = options_choice(options, "mongodb-read-preference");

    if (choice > 0)
        s->read_prefs = mongoc_read_prefs_new(modes[choice]);
}

/* Checks that the library can parse the string. Its options are applied to each connection. */
static int check_whole_uri(const char *text)
{
    bson_error_t error;
    mongoc_uri_t *uri = text != NULL ? mongoc_uri_new_with_error(text, &error) : NULL;

    if (text != NULL && uri == NULL)
        log_text(LOG_FATAL, "--mongodb-uri: %s", error.message);
    const int rc = text != NULL && uri == NULL ? -1 : 0;
    if (uri != NULL)
        mongoc_uri_destroy(uri);
    return rc;
}

int mongodb_shared_init(struct mongodb_shared *s, const struct options *options)
{
    *s = (struct mongodb_shared){0};
    s->hosts = options_get(options, "mongodb-host")->list;
    s->ports = options_get(options, "mongodb-port")->list;
    s->uri = options_string(options, "mongodb-uri");
    s->user = options_string(options, "mongodb-user");
    s->auth_source = options_string(options, "mongodb-auth-source");
    s->database = options_string(options, "mongodb-db");
    s->tls = options_string(options, "mongodb-tls");
    s->tls_ca = options_string(options, "mongodb-tls-ca");
    s->tls_cert = options_string(options, "mongodb-tls-cert");
    read_ignored(s, options);
    read_write_concern(s, options);
    read_preference(s, options);
    if (check_whole_uri(s->uri) < 0)
        return -1;
    s->password = password_create(options, "mongodb", NULL);
    return s->password != NULL ? 0 : -1;
}

void mongodb_shared_fini(struct mongodb_shared *s)
{
    password_destroy(s->password);
    mongoc_read_prefs_destroy(s->read_prefs);
    bson_destroy(s->write_concern);
}
