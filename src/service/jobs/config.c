/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/config.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

int config_refuse(const struct config_part *part, const char *fmt, ...)
{
    char *text;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = checked_alloc(NULL);
    va_end(args);
    log_text(LOG_FATAL, "%s: %s: %s", part->path, part->what, text);
    free(text);
    return -1;
}

static bool is_own(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

static int check_file(const char *path, int fd, bool secret)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        log_text(LOG_FATAL, "%s: this is not a regular file", path);
    else if (!is_own(&st))
        log_text(LOG_FATAL,
                 "%s: the file must belong to the user that the service runs as, or to root", path);
    else if ((st.st_mode & (secret ? 077 : 022)) != 0)
        log_text(LOG_FATAL, "%s: other users can %s the file (needed: chmod %s)", path,
                 secret ? "read or change" : "change", secret ? "600" : "go-w");
    else
        return 0;
    return -1;
}

/* The error text of jansson is not logged, because it quotes the file, which may contain secrets.
 * */
static json_t *parse(const char *path, int fd)
{
    json_error_t error;
    json_t *root = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(root))
        return root;
    if (root != NULL)
        log_text(LOG_FATAL, "%s: an object is needed, {...}", path);
    else
        log_text(LOG_FATAL,
                 "%s: this is not valid JSON, or a key occurs twice (line %d, column %d)", path,
                 error.line, error.column);
    json_decref(root);
    return NULL;
}

json_t *config_load(const char *path, bool secret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    json_t *root = NULL;
    if (fd < 0) {
        log_errno(LOG_FATAL, "cannot read '%s'", path);
        return NULL;
    }
    if (check_file(path, fd, secret) == 0)
        root = parse(path, fd);
    close(fd);
    return root;
}

/* Values of keys. */

int config_text(const struct config_part *part, const char *key, bool needed, const char **value)
{
    const json_t *found = json_object_get(part->object, key);
    if (found == NULL && !needed)
        return 0;
    if (!json_is_string(found) || json_string_length(found) == 0 ||
        strlen(json_string_value(found)) != json_string_length(found))
        return config_refuse(part, "\"%s\": a text is needed", key);
    *value = json_string_value(found);
    return 0;
}

int config_number(const struct config_part *part, const char *key, double least, double most,
                  double *value)
{
    const json_t *found = json_object_get(part->object, key);
    if (found == NULL)
        return 0;
    if (!json_is_number(found) || json_number_value(found) < least ||
        json_number_value(found) > most)
        return config_refuse(part, "\"%s\": a number from %g to %g is needed", key, least, most);
    *value = json_number_value(found);
    return 0;
}

int config_bool(const struct config_part *part, const char *key, bool *value)
{
    const json_t *found = json_object_get(part->object, key);
    if (found == NULL)
        return 0;
    if (!json_is_boolean(found))
        return config_refuse(part, "\"%s\": true or false is needed", key);
    *value = json_is_true(found);
    return 0;
}

int config_list(const struct config_part *part, const char *key, const json_t **value)
{
    const json_t *found = json_object_get(part->object, key), *text;
    size_t i;
    if (found == NULL)
        return 0;
    bool good = json_is_array(found);
    json_array_foreach(found, i, text) good = good && json_is_string(text);
    if (!good)
        return config_refuse(part, "\"%s\": a list of texts is needed", key);
    *value = found;
    return 0;
}

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

int config_only(const struct config_part *part, const char *const *keys)
{
    const char *key;
    json_t *value;
    if (!json_is_object(part->object))
        return config_refuse(part, "an object is needed, {...}");
    json_object_foreach(
        (json_t *)part->object, key,
        value) if (!is_one_of(key, keys)) return config_refuse(part, "there is no key \"%.64s\"",
                                                               key);
    return 0;
}

bool config_is_name(const char *text)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const size_t length = strspn(text, allowed);
    return length > 0 && length <= 64 && text[length] == '\0';
}
