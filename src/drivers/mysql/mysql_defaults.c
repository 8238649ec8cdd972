/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the option file (--mysql-defaults-file) with the client library: address of the server, and
 * whether it sets user and database. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/server.h"

/* Adds "./" to a name without a folder, which MySQL's library would look up in its own folders. */
static char *with_folder(const char *file)
{
    size_t bytes = strlen(file) + sizeof("./");
    char *path = xcalloc(1, bytes);

    snprintf(path, bytes, "%s%s", strchr(file, '/') != NULL ? "" : "./", file);
    return path;
}

/*
 * The libraries read the file only when they connect, and then its settings override those of
 * mysql_options(). This connect fails before a byte is sent, because its host is not a valid name
 * or address and its socket is not a socket.
 */
void mysql_set_defaults(MYSQL *mysql, const char *file)
{
    mysql_options(mysql, MYSQL_READ_DEFAULT_FILE, file);
    mysql_options(mysql, MYSQL_READ_DEFAULT_GROUP, "client");
    mysql_real_connect(mysql, "::1%", NULL, NULL, NULL, 0, "/", CLIENT_REMEMBER_OPTIONS);
}

static bool is_named(const char *text)
{
    return text != NULL && *text != '\0';
}

static char *copy_of(const char *text)
{
    return is_named(text) ? xstrdup(text) : NULL;
}

static void keep_places(struct mysql_defaults *d, const struct st_mysql_options *said)
{
    char port[16];

    d->host[0] = copy_of(said->host);
    if (said->port > 0) {
        snprintf(port, sizeof(port), "%u", said->port);
        d->port[0] = xstrdup(port);
    }
    if (said->protocol != MYSQL_PROTOCOL_TCP)
        d->socket[0] = copy_of(said->unix_socket);
}

static void ask_library(struct mysql_defaults *d)
{
    MYSQL *mysql = checked_alloc(mysql_init(NULL));

    mysql_set_defaults(mysql, d->file);
    keep_places(d, &mysql->options);
    d->names_user = is_named(mysql->options.user);
    d->names_database = is_named(mysql->options.db);
    mysql_close(mysql);
}

/* The libraries silently ignore a file that they cannot read. */
static int check_readable(const char *file)
{
    struct stat status;

    if (stat(file, &status) == 0 && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else if (access(file, R_OK) == 0)
        return 0;
    log_errno(LOG_FATAL, "cannot read --mysql-defaults-file=%s", file);
    return -1;
}

/* The libraries accept any number as a port. */
static int check_port(const struct mysql_defaults *d)
{
    if (d->port[0] == NULL || server_check_ports(d->port[0]) == NULL)
        return 0;
    log_text(LOG_FATAL, "--mysql-defaults-file=%s: invalid port: %s (allowed: 1 to 65535)", d->file,
             d->port[0]);
    return -1;
}

int mysql_defaults_init(struct mysql_defaults *d, const char *file)
{
    if (file == NULL)
        return 0;
    if (check_readable(file) != 0)
        return -1;
    d->file = with_folder(file);
    ask_library(d);
    return check_port(d) < 0 ? -1 : mysql_option_file_read(&d->own, d->file);
}

void mysql_defaults_fini(struct mysql_defaults *d)
{
    free(d->file);
    free(d->host[0]);
    free(d->port[0]);
    free(d->socket[0]);
    mysql_option_file_fini(&d->own);
}
