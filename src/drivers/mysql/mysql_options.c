/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/server.h"

static const struct {
    const char *name;
    enum client_ssl mode;
} ssl_modes[] = {
    {"off", CLIENT_SSL_DISABLED},
    {"on", CLIENT_SSL_PREFERRED}, /* as in sysbench */
    {"DISABLED", CLIENT_SSL_DISABLED},
    {"PREFERRED", CLIENT_SSL_PREFERRED},
    {"REQUIRED", CLIENT_SSL_REQUIRED},
    {"VERIFY_CA", CLIENT_SSL_CA},
    {"VERIFY_IDENTITY", CLIENT_SSL_IDENTITY},
};

/* Returns false if there is no such mode. */
static bool find_ssl_mode(const char *name, enum client_ssl *mode)
{
    for (size_t i = 0; i < ARRAY_SIZE(ssl_modes); i++)
        if (strcasecmp(name, ssl_modes[i].name) == 0) {
            *mode = ssl_modes[i].mode;
            return true;
        }
    return false;
}

static const char *check_ssl(const char *value)
{
    enum client_ssl mode;

    return find_ssl_mode(value, &mode)
               ? NULL
               : "off, on, DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY";
}

/* Error numbers of servers and clients have at most five digits. */
static size_t number_length(const char *text)
{
    const size_t digits = strspn(text, "0123456789");

    return digits <= 5 ? digits : 0;
}

static const char *check_ignored(const char *value)
{
    return server_check_errors(value, number_length,
                               "all, or a comma-separated list of error numbers");
}

static const char *unless_empty(const char *value, const char *allowed)
{
    return *value != '\0' ? NULL : allowed;
}

static const char *check_file(const char *value)
{
    return unless_empty(value, "the name of a file");
}

static const char *check_name(const char *value)
{
    return unless_empty(value, "a name");
}

static const char *check_sockets(const char *value)
{
    return unless_empty(value, "a comma-separated list of socket files");
}

const struct option_spec mysql_option_rows[MYSQL_OPTIONS] = {
    {.name = "mysql-host",
     .type = OPTION_LIST,
     .fallback = "localhost",
     .help = "MySQL server host, or a list of them",
     .check = server_check_hosts,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-port",
     .type = OPTION_LIST,
     .fallback = "3306",
     .help = "MySQL server port, or a list of them",
     .check = server_check_ports,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-socket",
     .type = OPTION_LIST,
     .help = "MySQL socket, or a list of them, used instead of hosts and ports",
     .check = check_sockets,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-user",
     .type = OPTION_STRING,
     .alone = "",
     .fallback = "sbtest",
     .help = "MySQL user",
     .field = OPTION_NO_FIELD},
    {.name = "mysql-password",
     .type = OPTION_STRING,
     .alone = "",
     .help = "MySQL password; default: the one in MYSQL_PWD",
     .field = OPTION_NO_FIELD},
    {.name = "mysql-password-file",
     .type = OPTION_FILE,
     .help = "file whose first line is the MySQL password",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-password-command",
     .type = OPTION_STRING,
     .help = PASSWORD_COMMAND_HELP,
     .check = password_check_command,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-defaults-file",
     .type = OPTION_FILE,
     .help = "option file like ~/.my.cnf, whose group [client] sets defaults, also for host, port "
             "and socket",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-db",
     .type = OPTION_STRING,
     .alone = "",
     .fallback = "sbtest",
     .help = "MySQL database name",
     .field = OPTION_NO_FIELD},
    {.name = "mysql-ssl",
     .type = OPTION_STRING,
     .fallback = "off",
     .alone = "on",
     .help = "SSL mode {off, on, DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY}; if it "
             "is not given, the option file may ask for a mode",
     .check = check_ssl,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-ssl-key",
     .type = OPTION_FILE,
     .help = "path name of the client private key file",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-ssl-ca",
     .type = OPTION_FILE,
     .help = "path name of the CA file",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-ssl-cert",
     .type = OPTION_FILE,
     .help = "path name of the client public key certificate file",
     .check = check_file,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-ssl-cipher",
     .type = OPTION_STRING,
     .help = "use specific cipher for SSL connections",
     .check = check_name,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-compression",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "use compression, if available in the client library",
     .field = OPTION_NO_FIELD},
    {.name = "mysql-compression-algorithms",
     .type = OPTION_LIST,
     .help = "compression algorithms to use",
     .choices = OPTION_CHOICES({"zlib", NULL}, {"zstd", NULL}, {"uncompressed", NULL}),
     .field = OPTION_NO_FIELD},
    {.name = "mysql-debug",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "trace all client library calls, where the library was built with tracing",
     .field = OPTION_NO_FIELD},
    {.name = "mysql-ignore-errors",
     .type = OPTION_LIST,
     .fallback = "1213,1020,1205",
     .help =
         "list of errors to ignore, or \"all\"; if it contains one that means a lost connection "
         "(2006, 2013 ...), all of these are ignored and workers reconnect",
     .check = check_ignored,
     .field = OPTION_NO_FIELD},
    {.name = "mysql-dry-run",
     .type = OPTION_BOOL,
     .fallback = "off",
     .help = "dry run, pretend that all MySQL client API calls are successful",
     .field = OPTION_NO_FIELD},
};

static void read_ignored(struct mysql_shared *s, const struct options *options)
{
    char *const *list = options_get(options, "mysql-ignore-errors")->list;
    unsigned count = server_list_length(list);

    s->ignored = xcalloc(count + 1, sizeof(s->ignored[0]));
    s->ignore_all = count == 1 && strcmp(list[0], "all") == 0;
    for (unsigned i = 0; i < count && !s->ignore_all; i++) {
        unsigned code = (unsigned)strtoul(list[i], NULL, 10);
        s->ignored[s->ignored_count++] = code;
        s->ignore_lost = s->ignore_lost || mysql_is_lost(code);
    }
}

/* Returns the value from the command line, or NULL if the option file sets it, or the default. */
static const char *unless_in_file(bool names, const struct options *options, const char *name)
{
    const struct option_value *value = options_get(options, name);

    return names && !value->given ? NULL : value->text;
}

/* Returns the list from the command line, or from the option file, or the default. */
static char *const *unless_named(char *const *named, const struct options *options,
                                 const char *name)
{
    const struct option_value *value = options_get(options, name);

    return named[0] != NULL && !value->given ? named : value->list;
}

/* The libraries use the socket of the option file only for the host "localhost". */
static void read_places(struct mysql_shared *s, const struct options *options)
{
    s->hosts = unless_named(s->defaults.host, options, "mysql-host");
    s->ports = unless_named(s->defaults.port, options, "mysql-port");
    s->sockets = options_get(options, "mysql-socket")->list;
    if (s->sockets == NULL && s->defaults.socket[0] != NULL && server_list_length(s->hosts) == 1 &&
        strcmp(s->hosts[0], "localhost") == 0)
        s->sockets = s->defaults.socket;
}

/* Without --mysql-ssl, the mode is that of the option file. Returns −1 after a logged message. */
static int read_ssl(struct mysql_shared *s, const struct options *options)
{
    const char *in_file =
        options_get(options, "mysql-ssl")->given ? NULL : mysql_option_file_ssl(&s->defaults.own);

    if (!find_ssl_mode(in_file != NULL ? in_file : options_string(options, "mysql-ssl"), &s->ssl)) {
        log_text(LOG_FATAL, "--mysql-defaults-file=%s: unknown ssl-mode: %s", s->defaults.file,
                 in_file);
        return -1;
    }
    s->ssl_key = options_string(options, "mysql-ssl-key");
    s->ssl_cert = options_string(options, "mysql-ssl-cert");
    s->ssl_ca = options_string(options, "mysql-ssl-ca");
    s->ssl_cipher = options_string(options, "mysql-ssl-cipher");
    return 0;
}

static int check_algorithms(const struct mysql_shared *s)
{
    if (s->compression_algorithms == NULL)
        return 0;
    MYSQL *mysql = checked_alloc(mysql_init(NULL));
    bool taken = client_set_compression(mysql, s->compression_algorithms);

    mysql_close(mysql);
    if (taken)
        return 0;
    log_text(LOG_FATAL,
             "--mysql-compression-algorithms: the client library (%s %s) supports none of them; "
             "all client libraries support zlib",
             CLIENT_LIBRARY, mysql_get_client_info());
    return -1;
}

static int check_shared(const struct mysql_shared *s)
{
    const struct mysql_option_file *file = &s->defaults.own;

    if (s->ssl >= CLIENT_SSL_CA && s->ssl_ca == NULL && file->ca == NULL && file->ca_path == NULL) {
        log_text(LOG_FATAL, "--mysql-ssl=VERIFY_CA and VERIFY_IDENTITY need --mysql-ssl-ca, the "
                            "certificate of the authority to trust");
        return -1;
    }
    return check_algorithms(s);
}

int mysql_shared_init(struct mysql_shared *s, const struct options *options)
{
    *s = (struct mysql_shared){0};
    if (mysql_defaults_init(&s->defaults, options_string(options, "mysql-defaults-file")) < 0)
        return -1;
    read_places(s, options);
    s->user = unless_in_file(s->defaults.names_user, options, "mysql-user");
    s->database = unless_in_file(s->defaults.names_database, options, "mysql-db");
    s->compress = options_bool(options, "mysql-compression");
    s->compression_algorithms = options_string(options, "mysql-compression-algorithms");
    s->dry_run = options_bool(options, "mysql-dry-run");
    read_ignored(s, options);
    if (read_ssl(s, options) < 0)
        return -1;
    if (options_bool(options, "mysql-debug"))
        mysql_debug("d:t");
    s->password = password_create(options, "mysql", s->defaults.own.password_command);
    if (s->password == NULL)
        return -1;
    return check_shared(s);
}

void mysql_shared_fini(struct mysql_shared *s)
{
    mysql_defaults_fini(&s->defaults);
    free(s->ignored);
    password_destroy(s->password);
}
