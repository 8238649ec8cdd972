/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings in an option file (--mysql-defaults-file) that the client libraries do not read, or read
 * differently: the command that prints the password, and what the file asks for TLS. MariaDB's
 * library reads neither "ssl" nor "ssl-mode", which MySQL's and MariaDB's programs read themselves.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/util.h"
#include "drivers/mysql/mysql_internal.h"

#define BLANKS " \t\r\n"

/* Files that include each other are read up to this depth, like in the libraries. */
#define INCLUDES 10

#define OWN(member) offsetof(struct mysql_option_file, member)
static const struct {
    const char *name;
    size_t offset;
} keys[] = {
    {"password-command", OWN(password_command)},
    {"ssl-mode", OWN(ssl_mode)},
    {"ssl-ca", OWN(ca)},
    {"tls-ca", OWN(ca)},
    {"ssl-capath", OWN(ca_path)},
    {"tls-capath", OWN(ca_path)},
    {"ssl-key", OWN(key)},
    {"tls-key", OWN(key)},
    {"ssl-cert", OWN(cert)},
    {"tls-cert", OWN(cert)},
    {"ssl-cipher", OWN(cipher)},
    {"tls-cipher", OWN(cipher)},
    {"ssl-fp", OWN(fingerprint)},
    {"tls-fp", OWN(fingerprint)},
    {"ssl-fplist", OWN(fingerprint)},
    {"ssl-fp-list", OWN(fingerprint)},
    {"tls-fplist", OWN(fingerprint)},
    {"ssl", OWN(enforce)},
    {"ssl-enforce", OWN(enforce)},
    {"tls-enforce", OWN(enforce)},
    {"ssl-verify-server-cert", OWN(verify)},
    {"tls-verify-peer", OWN(verify)},
};

static char **text_at(struct mysql_option_file *own, size_t i)
{
    return (char **)((char *)own + keys[i].offset);
}

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

/* Moves *name past a prefix, in which '-' and '_' are equal. */
static bool skip_prefix(const char **name, const char *prefix)
{
    const size_t length = strlen(prefix);

    if (strncmp(*name, prefix, length) != 0 || ((*name)[length] != '-' && (*name)[length] != '_'))
        return false;
    *name += length + 1;
    return true;
}

static void set(struct mysql_option_file *own, const char *name, const char *value)
{
    /* Programs ignore unknown options that begin with "loose-". */
    skip_prefix(&name, "loose");
    if (skip_prefix(&name, "skip") || skip_prefix(&name, "disable"))
        value = "0";
    else
        skip_prefix(&name, "enable");
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (option_name_is(name, keys[i].name)) {
            free(*text_at(own, i));
            *text_at(own, i) = xstrdup(value);
        }
}

static bool is_our_group(const char *text)
{
    static const char *const groups[] = {"[client]", "[client-server]", "[client-mariadb]",
                                         "[sysrate]"};

    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        if (strcmp(text, groups[i]) == 0)
            return true;
    return false;
}

static int read_file(struct mysql_option_file *own, const char *path, unsigned depth);

/* Reads the file or the folder that a line "!include FILE" or "!includedir FOLDER" names. */
static int include(struct mysql_option_file *own, const char *line, unsigned depth)
{
    static const char folder[] = "!includedir", file[] = "!include";
    glob_t found;
    char *pattern;
    int rc = 0;

    if (depth == INCLUDES)
        return 0;
    if (strncmp(line, folder, sizeof(folder) - 1) != 0) {
        line += strncmp(line, file, sizeof(file) - 1) == 0 ? sizeof(file) - 1 : 1;
        return read_file(own, line + strspn(line, BLANKS), depth + 1);
    }
    line += sizeof(folder) - 1;
    if (asprintf(&pattern, "%s/*.cnf", line + strspn(line, BLANKS)) < 0)
        pattern = checked_alloc(NULL);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
            rc = read_file(own, found.gl_pathv[i], depth + 1);
        globfree(&found);
    }
    free(pattern);
    return rc;
}

/* Everybody who can write the file could have commands executed. The libraries ignore such a file,
 * too. */
static int check_command(const char *command, const char *path, int fd)
{
    struct stat status;
    const char *objection = password_check_command(command);

    if (objection != NULL) {
        log_text(LOG_FATAL, "--mysql-defaults-file=%s: invalid password-command (allowed: %s)",
                 path, objection);
        return -1;
    }
    if (fstat(fd, &status) == 0 && (status.st_mode & S_IWOTH) == 0)
        return 0;
    log_text(LOG_FATAL,
             "--mysql-defaults-file=%s: every user can write this file, so its password-command is "
             "refused (needed: chmod o-w)",
             path);
    return -1;
}

static int read_lines(struct mysql_option_file *own, FILE *file, unsigned depth)
{
    char *line = NULL;
    size_t room = 0;
    bool ours = false;
    int rc = 0;

    while (rc == 0 && getline(&line, &room, file) >= 0) {
        char *text = trim(line), *value = strchr(text, '=');
        if (text[0] == '!')
            rc = include(own, text, depth);
        if (text[0] == '[')
            ours = is_our_group(text);
        if (!ours || text[0] == '\0' || strchr("#;![", text[0]) != NULL)
            continue;
        if (value != NULL)
            *value++ = '\0';
        set(own, trim(text), value != NULL ? trim(value) : "");
    }
    free(line);
    return rc;
}

/* A file that cannot be read is ignored, as by the libraries. */
static int read_file(struct mysql_option_file *own, const char *path, unsigned depth)
{
    FILE *file = fopen(path, "re");
    char *before = own->password_command;

    if (file == NULL)
        return 0;
    own->password_command = NULL;
    int rc = read_lines(own, file, depth);
    if (rc == 0 && own->password_command != NULL)
        rc = check_command(own->password_command, path, fileno(file));
    fclose(file);
    if (own->password_command == NULL)
        own->password_command = before;
    else
        free(before);
    return rc;
}

int mysql_option_file_read(struct mysql_option_file *own, const char *path)
{
    return read_file(own, path, 0);
}

void mysql_option_file_fini(struct mysql_option_file *own)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        free(*text_at(own, i));
        *text_at(own, i) = NULL;
    }
}

static bool is_off(const char *value)
{
    return value != NULL && (strcmp(value, "0") == 0 || strcasecmp(value, "off") == 0 ||
                             strcasecmp(value, "false") == 0);
}

/* Returns true for a mode in which the server's certificate is not checked at all or not against
 * the name of the server. */
static bool is_weak(const char *mode)
{
    static const char *const modes[] = {"DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA"};
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
        if (strcasecmp(mode, modes[i]) == 0)
            return true;
    return false;
}

const char *mysql_option_file_ssl(const struct mysql_option_file *own)
{
    const bool verify = own->verify != NULL && !is_off(own->verify);
    /* If the file has settings of both servers, the stricter one applies. */
    if (own->ssl_mode != NULL)
        return verify && is_weak(own->ssl_mode) ? "VERIFY_IDENTITY" : own->ssl_mode;
    if (is_off(own->enforce))
        return "DISABLED";
    if (verify)
        return "VERIFY_IDENTITY";
    /* As in MySQL's programs, an authority is not given for nothing. */
    if (own->verify == NULL && (own->ca != NULL || own->ca_path != NULL))
        return "VERIFY_CA";
    if (own->enforce != NULL || own->fingerprint != NULL || own->ca != NULL || own->ca_path != NULL)
        return "REQUIRED";
    return own->key != NULL || own->cert != NULL || own->cipher != NULL ? "PREFERRED" : NULL;
}
