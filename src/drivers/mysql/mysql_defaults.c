/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the option file (--mysql-defaults-file) with the client library: address of the server, and
 * whether it sets user and database. Reads the password command from it. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"
#include "drivers/server.h"

#define BLANKS " \t\r\n"

/* Adds "./" to a name without a folder, which MySQL's library would look up in its own folders. */
static char *with_folder(const char *file)
{
    size_t bytes = strlen(file) + sizeof("./");
    char *path = xcalloc(1, bytes);

    snprintf(path, bytes, "%s%s", strchr(file, '/') != NULL ? "" : "./", file);
    return path;
}

void mysql_set_defaults(MYSQL *mysql, const char *file)
{
    mysql_options(mysql, MYSQL_READ_DEFAULT_FILE, file);
    mysql_options(mysql, MYSQL_READ_DEFAULT_GROUP, "client");
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

/*
 * The libraries read the file only when they connect. This connect fails before a byte is sent,
 * because its host is not a valid name or address and its socket is not a socket.
 */
static void ask_library(struct mysql_defaults *d)
{
    MYSQL *mysql = checked_alloc(mysql_init(NULL));

    mysql_set_defaults(mysql, d->file);
    mysql_real_connect(mysql, "::1%", NULL, NULL, NULL, 0, "/", CLIENT_REMEMBER_OPTIONS);
    keep_places(d, &mysql->options);
    d->names_user = is_named(mysql->options.user);
    d->names_database = is_named(mysql->options.db);
    mysql_close(mysql);
}

/* The password command, which the libraries do not know. */

/* Removes blanks at both ends of the text, and quotes around what is left. */
static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        length--;
    const bool quoted =
        length >= 2 && (text[0] == '"' || text[0] == '\'') && text[length - 1] == text[0];
    text[length - quoted] = '\0';
    return text + quoted;
}

/* Other programs that read the group ignore unknown options if they begin with "loose-". */
static bool names_command(const char *name)
{
    if (strncmp(name, "loose-", 6) == 0 || strncmp(name, "loose_", 6) == 0)
        name += 6;
    return option_name_is(name, "password-command");
}

/* Returns the command in the groups [client] and [sysrate]; the last one counts. Returns NULL if
 * there is none. */
static char *read_command(FILE *file)
{
    char *line = NULL, *command = NULL;
    size_t room = 0;
    bool ours = false;

    while (getline(&line, &room, file) >= 0) {
        char *text = trim(line), *value = strchr(text, '=');
        if (text[0] == '[')
            ours = strcmp(text, "[client]") == 0 || strcmp(text, "[sysrate]") == 0;
        if (!ours || value == NULL || text[0] == '#' || text[0] == ';')
            continue;
        *value = '\0';
        if (!names_command(trim(text)))
            continue;
        free(command);
        command = xstrdup(trim(value + 1));
    }
    free(line);
    return command;
}

/* Everybody who can write the file could have commands executed. The libraries ignore such a file,
 * too. */
static int check_command(const struct mysql_defaults *d, int fd)
{
    struct stat status;
    const char *objection =
        d->password_command != NULL ? password_check_command(d->password_command) : NULL;

    if (d->password_command == NULL)
        return 0;
    if (objection != NULL) {
        log_text(LOG_FATAL, "--mysql-defaults-file=%s: invalid password-command (allowed: %s)",
                 d->file, objection);
        return -1;
    }
    if (fstat(fd, &status) == 0 && (status.st_mode & S_IWOTH) == 0)
        return 0;
    log_text(LOG_FATAL,
             "--mysql-defaults-file=%s: every user can write this file, so its password-command is "
             "refused (needed: chmod o-w)",
             d->file);
    return -1;
}

static int find_command(struct mysql_defaults *d)
{
    FILE *file = fopen(d->file, "re");

    if (file == NULL) {
        log_errno(LOG_FATAL, "cannot read --mysql-defaults-file=%s", d->file);
        return -1;
    }
    d->password_command = read_command(file);
    const int rc = check_command(d, fileno(file));
    fclose(file);
    return rc;
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
    return check_port(d) < 0 ? -1 : find_command(d);
}

void mysql_defaults_fini(struct mysql_defaults *d)
{
    free(d->file);
    free(d->host[0]);
    free(d->port[0]);
    free(d->socket[0]);
    free(d->password_command);
}
