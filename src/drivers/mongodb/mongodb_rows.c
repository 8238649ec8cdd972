/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/util.h"
#include "drivers/mongodb/mongodb_rows.h"
#include "drivers/password.h"
#include "drivers/server.h"

static size_t number_length(const char *text)
{
    const size_t digits = strspn(text, "0123456789");

    return digits <= 9 ? digits : 0;
}

static const char *check_ignored(const char *value)
{
    return server_check_errors(value, number_length,
                               "all, or a comma-separated list of error numbers (112)");
}

static const char *check_name(const char *value)
{
    return *value != '\0' ? NULL : "a name";
}

static const char *check_file(const char *value)
{
    return *value != '\0' ? NULL : "the name of a file";
}

/* Does not allow a password in the connection string, because other users could read it in the list
 * of processes. */
static const char *check_uri(const char *value)
{
    static const char *const schemes[] = {"mongodb://", "mongodb+srv://"};
    const char *allowed = "mongodb://HOST[:PORT][,...][/?OPTIONS] or mongodb+srv://..., without a "
                          "password: --mongodb-password gives that";

    for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
        const size_t length = strlen(schemes[i]);
        if (strncmp(value, schemes[i], length) != 0 || value[length] == '\0')
            continue;
        const char *user_end = strchr(value + length, '@');
        return user_end == NULL ||
                       memchr(value + length, ':', (size_t)(user_end - value) - length) == NULL
                   ? NULL
                   : allowed;
    }
    return allowed;
}

static const char *check_write_concern(const char *value)
{
    const size_t digits = strspn(value, "0123456789");

    if (strcmp(value, "majority") == 0)
        return NULL;
    return digits >= 1 && digits <= 2 && value[digits] == '\0' && strtol(value, NULL, 10) >= 1 &&
                   strtol(value, NULL, 10) <= 50
               ? NULL
               : "majority, or a number of servers from 1 to 50";
}

const struct option_spec mongodb_option_rows[MONGODB_OPTIONS] = {
    {.name = "mongodb-host",
     .type = OPTION_LIST,
     .fallback = "localhost",
     .help = "MongoDB server host or path of its socket, or a list of them",
     .check = server_check_hosts,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-port",
     .type = OPTION_LIST,
     .fallback = "27017",
     .help = "MongoDB server port, or a list of them",
     .check = server_check_ports,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-uri",
     .type = OPTION_STRING,
     .help = "connection string without a password, for replica sets; replaces host and port",
     .check = check_uri,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-user",
     .type = OPTION_STRING,
     .help = "MongoDB user; default: connect without login",
     .check = check_name,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-password",
     .type = OPTION_STRING,
     .help = "MongoDB password",
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-password-file",
     .type = OPTION_FILE,
     .help = "file whose first line is the MongoDB password",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-password-command",
     .type = OPTION_STRING,
     .help = PASSWORD_COMMAND_HELP,
     .check = password_check_command,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-auth-source",
     .type = OPTION_STRING,
     .fallback = "admin",
     .help = "database in which the user is defined",
     .check = check_name,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-db",
     .type = OPTION_STRING,
     .fallback = "sbtest",
     .help = "MongoDB database name",
     .check = check_name,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-tls",
     .type = OPTION_STRING,
     .fallback = "disable",
     .help = "TLS mode",
     .choices = OPTION_CHOICES({"disable", NULL}, {"require", NULL}, {"verify-ca", NULL},
                               {"verify-full", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-tls-ca",
     .type = OPTION_FILE,
     .help = "file with the CA certificate that verify-ca and verify-full trust",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-tls-cert",
     .type = OPTION_FILE,
     .help = "file with the client's certificate and key",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-write-concern",
     .type = OPTION_STRING,
     .help = "servers that must confirm a write before it is acknowledged: a number, or majority; "
             "default: setting of the server",
     .check = check_write_concern,
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-journal",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "acknowledge writes when they are in the journal on disk",
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-read-preference",
     .type = OPTION_STRING,
     .fallback = "primary",
     .help = "member of a replica set that is used for reads",
     .choices = OPTION_CHOICES({"primary", NULL}, {"primaryPreferred", NULL}, {"secondary", NULL},
                               {"secondaryPreferred", NULL}, {"nearest", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "mongodb-ignore-errors",
     .type = OPTION_LIST,
     .fallback = "112",
     .help =
         "list of errors to ignore, or \"all\"; if it contains one that means a lost connection "
         "(6, 9001 ...), all of these are ignored and workers reconnect",
     .check = check_ignored,
     .field = OPTION_NO_FIELD},
};
