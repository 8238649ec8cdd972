/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/pgsql/pgsql_internal.h"
#include "drivers/server.h"

/* A value that no variable has. */
#define NOT_SERVED "\x01"

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
     .help = "SSL mode; if it is not given, the one in PGSSLMODE or the service file",
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

/* What the service that PGSERVICE names says about the server; NULL if it does not say it, or
 * without a service. Set by pgsql_setup() for the whole process. */
static struct {
    char *host[2], *port[2]; /* NULL-terminated lists of at most one entry, which may be a list of
                                libpq: "a,b" */
    char *address, *user, *database;
    char *options; /* options of the server, those in PGOPTIONS if there is no service */
} service;

static void read_service(void)
{
    const struct {
        const char *name;
        char **value;
    } rows[] = {
        {"host", &service.host[0]}, {"hostaddr", &service.address}, {"port", &service.port[0]},
        {"user", &service.user},    {"dbname", &service.database},
        {"options", &service.options},
    };
    PQconninfoOption *known = PQconndefaults();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (const PQconninfoOption *o = known; o != NULL && o->keyword != NULL; o++)
            if (strcmp(o->keyword, rows[i].name) == 0 && o->val != NULL && o->val[0] != '\0' &&
                strcmp(o->val, NOT_SERVED) != 0)
                *rows[i].value = xstrdup(o->val);
    PQconninfoFree(known);
    if (service.host[0] == NULL && service.address != NULL)
        service.host[0] = xstrdup(service.address);
}

/* Calls read_service() while variables of lower precedence have a value that shows that the service
 * does not set them. */
static void read_service_only(void)
{
    static const char *const names[] = {"PGHOST", "PGPORT", "PGUSER", "PGDATABASE"};
    char *before[ARRAY_SIZE(names)];

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = getenv(names[i]);
        before[i] = value != NULL ? xstrdup(value) : NULL;
        setenv(names[i], NOT_SERVED, 1);
    }
    read_service();
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (before[i] != NULL)
            setenv(names[i], before[i], 1);
        else
            unsetenv(names[i]);
        free(before[i]);
    }
}

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
    read_service_only();
}

static void read_ignored(struct pgsql_shared *s, const struct options *options)
{
    s->ignored = options_get(options, "pgsql-ignore-errors")->list;
    unsigned count = server_list_length(s->ignored);

    s->ignore_all = count == 1 && strcmp(s->ignored[0], "all") == 0;
    for (unsigned i = 0; i < count; i++)
        s->ignore_lost = s->ignore_lost || pgsql_is_lost(s->ignored[i]);
}

/* An address in the service would replace that of the given host. */
static int check_service(const struct options *options)
{
    if (service.address == NULL || !options_get(options, "pgsql-host")->given)
        return 0;
    log_text(LOG_FATAL, "--pgsql-host cannot be used with this PGSERVICE, because hostaddr in the "
                        "service file would replace its address");
    return -1;
}

/* Returns the text of an option, or that of the service if the option is not given. */
static const char *unless_served(const char *served, const struct options *options,
                                 const char *name)
{
    const struct option_value *value = options_get(options, name);

    return served != NULL && !value->given ? served : value->text;
}

static char *const *list_unless_served(char *const *served, const struct options *options,
                                       const char *name)
{
    const struct option_value *value = options_get(options, name);

    return served[0] != NULL && !value->given ? served : value->list;
}

int pgsql_shared_init(struct pgsql_shared *s, const struct options *options)
{
    *s = (struct pgsql_shared){0};
    s->hosts = list_unless_served(service.host, options, "pgsql-host");
    s->ports = list_unless_served(service.port, options, "pgsql-port");
    s->user = unless_served(service.user, options, "pgsql-user");
    s->database = unless_served(service.database, options, "pgsql-db");
    /* The default must not replace a stricter mode of the environment. */
    if (options_get(options, "pgsql-sslmode")->given)
        s->sslmode = options_string(options, "pgsql-sslmode");
    s->sslrootcert = options_string(options, "pgsql-sslrootcert");
    if (asprintf(&s->read_only_options, "%s -c default_transaction_read_only=on",
                 service.options != NULL ? service.options : "") < 0)
        s->read_only_options = checked_alloc(NULL);
    read_ignored(s, options);
    if (check_service(options) < 0)
        return -1;
    s->password = password_create(options, "pgsql", NULL);
    return s->password != NULL ? 0 : -1;
}

void pgsql_shared_fini(struct pgsql_shared *s)
{
    password_destroy(s->password);
    free(s->read_only_options);
}
