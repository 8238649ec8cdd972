/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/server.h"

static size_t state_length(const char *text)
{
    return pgsql_is_state(text) ? PGSQL_STATE_BYTES : 0;
}

static const char *check_ignored(const char *value)
{
    return server_check_errors(value, state_length,
                               "all, or a comma-separated list of SQLSTATEs (40001)");
}

static const char *check_name(const char *value)
{
    return *value != '\0' ? NULL : "a name";
}

static const char *check_file(const char *value)
{
    return *value != '\0' ? NULL : "the name of a file";
}

const struct option_spec pgsql_option_rows[PGSQL_OPTIONS] = {
    {.name = "pgsql-host",
     .type = OPTION_LIST,
     .fallback = "localhost",
     .help = "PostgreSQL server host or folder of its socket, or a list of them",
     .check = server_check_hosts,
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-port",
     .type = OPTION_LIST,
     .fallback = "5432",
     .help = "PostgreSQL server port, or a list of them",
     .check = server_check_ports,
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-user",
     .type = OPTION_STRING,
     .fallback = "sbtest",
     .help = "PostgreSQL user",
     .check = check_name,
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-password",
     .type = OPTION_STRING,
     .alone = "",
     .help = "PostgreSQL password; default: the one in PGPASSWORD or ~/.pgpass",
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-password-file",
     .type = OPTION_FILE,
     .help = "file whose first line is the PostgreSQL password",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-password-command",
     .type = OPTION_STRING,
     .help = PASSWORD_COMMAND_HELP,
     .check = password_check_command,
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-db",
     .type = OPTION_STRING,
     .fallback = "sbtest",
     .help = "PostgreSQL database name",
     .check = check_name,
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-sslmode",
     .type = OPTION_STRING,
     .fallback = "prefer",
     .help = "SSL mode",
     .choices = OPTION_CHOICES({"disable", NULL}, {"allow", NULL}, {"prefer", NULL},
                               {"require", NULL}, {"verify-ca", NULL}, {"verify-full", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-sslrootcert",
     .type = OPTION_FILE,
     .help = "file with the CA certificate that verify-ca and verify-full trust",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "pgsql-ignore-errors",
     .type = OPTION_LIST,
     .fallback = "40001,40P01,23505",
     .help =
         "list of SQLSTATEs to ignore, or \"all\"; if it contains one that means a lost connection "
         "(08006, 57P01 ...), all of these are ignored and workers reconnect",
     .check = check_ignored,
     .field = OPTION_NO_FIELD},
};

/*
 * libpq treats an empty password as a missing one and would use PGPASSWORD. The hosts are those of
 * the options, so PGHOSTADDR must not replace their addresses.
 */
void pgsql_setup(const struct options *options)
{
    static const char *const passwords[] = {"pgsql-password", "pgsql-password-file",
                                            "pgsql-password-command"};

    for (size_t i = 0; i < ARRAY_SIZE(passwords); i++)
        if (options_string(options, passwords[i]) != NULL)
            unsetenv("PGPASSWORD");
    unsetenv("PGHOSTADDR");
}

static void read_ignored(struct pgsql_shared *s, const struct options *options)
{
    s->ignored = options_get(options, "pgsql-ignore-errors")->list;
    unsigned count = server_list_length(s->ignored);

    s->ignore_all = count == 1 && strcmp(s->ignored[0], "all") == 0;
    for (unsigned i = 0; i < count; i++)
        s->ignore_lost = s->ignore_lost || pgsql_is_lost(s->ignored[i]);
}

int pgsql_shared_init(struct pgsql_shared *s, const struct options *options)
{
    *s = (struct pgsql_shared){0};
    s->hosts = options_get(options, "pgsql-host")->list;
    s->ports = options_get(options, "pgsql-port")->list;
    s->user = options_string(options, "pgsql-user");
    s->database = options_string(options, "pgsql-db");
    s->sslmode = options_string(options, "pgsql-sslmode");
    s->sslrootcert = options_string(options, "pgsql-sslrootcert");
    read_ignored(s, options);
    s->password = password_create(options, "pgsql", NULL);
    return s->password != NULL ? 0 : -1;
}

void pgsql_shared_fini(struct pgsql_shared *s)
{
    password_destroy(s->password);
}
