/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/target_list.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "options/option_value.h"
#include "options/slo.h"
#include "service/jobs/config.h"
#include "service/jobs/webhook.h"

static const char *const target_keys[] = {
    "name",        "class", "options",   "identity",      "schema",  "max_rate", "max_workers",
    "max_seconds", "tests", "guard_slo", "guard_seconds", "webhook", NULL};

/* True if servers of the target's driver have a unique identity that can be queried. */
static bool has_identity(const struct target *t)
{
    return strcmp(t->driver, "mysql") == 0 || strcmp(t->driver, "pgsql") == 0;
}

static bool is_driver_option(const char *name, const char *driver)
{
    const size_t length = strlen(driver);
    return strcmp(name, "db-driver") == 0 || strcmp(name, "db-ps-mode") == 0 ||
           strcmp(name, "server-config") == 0 || strcmp(name, "server-stats") == 0 ||
           (strncmp(name, driver, length) == 0 && name[length] == '-');
}

static bool names_password_file(const char *name)
{
    const char *end = strstr(name, "-password-file");
    return end != NULL && strcmp(end, "-password-file") == 0;
}

static int check_password_file(const struct config_part *part, const char *name, const char *path)
{
    struct stat st;
    if (path[0] != '/')
        return config_refuse(part, "\"%s\": an absolute path is needed", name);
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return config_refuse(part, "\"%s\": there is no such file", name);
    if ((st.st_mode & 077) != 0)
        return config_refuse(part, "\"%s\": other users can read this file (needed: chmod 600)",
                             name);
    return 0;
}

/* True if the option chooses the server. Its value must not be a list, because connections would be
 * distributed over several servers, and only one identity is checked. */
static bool names_place(const char *name)
{
    return strstr(name, "-host") != NULL || strstr(name, "-port") != NULL ||
           strstr(name, "-socket") != NULL;
}

static int check_option(const struct config_part *part, const char *driver, const char *name,
                        const json_t *value)
{
    if (!is_driver_option(name, driver))
        return config_refuse(part, "\"options\": %.64s is no option of the driver %s", name,
                             driver);
    if (names_password_file(name) && json_is_string(value))
        return check_password_file(part, name, json_string_value(value));
    if (option_is_secret(name))
        return config_refuse(part,
                             "\"options\": %.64s: a password must be in a file of its own "
                             "(%s-password-file)",
                             name, driver);
    if (!json_is_string(value))
        return config_refuse(part, "\"options\": %.64s: a text is needed", name);
    if (names_place(name) && strchr(json_string_value(value), ',') != NULL)
        return config_refuse(part,
                             "\"options\": %.64s: a list is not allowed, because the identity of "
                             "only one server is checked",
                             name);
    return 0;
}

static int read_options(struct target *t, const struct config_part *part)
{
    const char *name;
    json_t *value;
    t->options = json_object_get(part->object, "options");
    t->driver = json_string_value(json_object_get(t->options, "db-driver"));
    if (t->driver == NULL ||
        (!has_identity(t) && strcmp(t->driver, "sqlite") != 0 && strcmp(t->driver, "null") != 0))
        return config_refuse(part, "\"options\": \"db-driver\" is needed (mysql, pgsql, sqlite, "
                                   "null)");
    json_object_foreach((json_t *)t->options, name,
                        value) if (check_option(part, t->driver, name, value) != 0) return -1;
    return 0;
}

static int read_class(struct target *t, const struct config_part *part)
{
    const char *class = NULL;
    if (config_text(part, "class", true, &class) != 0)
        return -1;
    t->production = strcmp(class, "production") == 0;
    if (t->production || strcmp(class, "test") == 0)
        return 0;
    return config_refuse(part, "\"class\": test or production is needed");
}

static int check_rules(const struct target *t, const struct config_part *part)
{
    if (has_identity(t) && t->identity == NULL)
        return config_refuse(part, "\"identity\" is needed: server_uuid (MySQL), server_uid "
                                   "(MariaDB) or system_identifier (PostgreSQL)");
    if (!has_identity(t) && t->identity != NULL)
        return config_refuse(part, "\"identity\": servers of the driver %s have no identity",
                             t->driver);
    if (t->production && t->schema != NULL)
        return config_refuse(part, "\"schema\": a production target cannot have a schema for jobs");
    if (t->schema != NULL && !has_identity(t))
        return config_refuse(part, "\"schema\": the driver %s has no schemas", t->driver);
    if (t->schema != NULL && !config_is_name(t->schema))
        return config_refuse(part, "\"schema\": a name of letters, digits, _, . and - is needed");
    if (t->guard_slo != NULL && slo_check(t->guard_slo) != NULL)
        return config_refuse(part, "\"guard_slo\": %s", slo_check(t->guard_slo));
    if (t->webhook != NULL && !webhook_check(t->webhook))
        return config_refuse(part, "\"webhook\": http://HOST[:PORT]/PATH is needed");
    return 0;
}

static int read_limits(struct target *t, const struct config_part *part)
{
    return config_number(part, "max_rate", 0.001, 1e9, &t->max_rate) == 0 &&
                   config_number(part, "max_workers", 1, 100000, &t->max_workers) == 0 &&
                   config_number(part, "max_seconds", 1, TARGET_SECONDS_MAX, &t->max_seconds) ==
                       0 &&
                   config_number(part, "guard_seconds", 0, 3600, &t->guard_seconds) == 0
               ? 0
               : -1;
}

static int read_target(struct target *t, const struct config_part *part)
{
    *t = (struct target){
        .max_rate = 1000, .max_workers = 64, .max_seconds = 600, .guard_seconds = 10};
    return config_only(part, target_keys) == 0 && config_text(part, "name", true, &t->name) == 0 &&
                   read_class(t, part) == 0 && read_options(t, part) == 0 &&
                   config_text(part, "identity", false, &t->identity) == 0 &&
                   config_text(part, "schema", false, &t->schema) == 0 &&
                   config_text(part, "guard_slo", false, &t->guard_slo) == 0 &&
                   config_text(part, "webhook", false, &t->webhook) == 0 &&
                   read_limits(t, part) == 0 && config_list(part, "tests", &t->tests) == 0
               ? check_rules(t, part)
               : -1;
}

static int check_name(const struct target_list *all, const struct target *t,
                      const struct config_part *part)
{
    if (!config_is_name(t->name))
        return config_refuse(part, "\"name\": letters, digits, _, . and - are allowed, at most 64");
    return target_list_find(all, t->name) == NULL ? 0
                                                  : config_refuse(part, "this name occurs twice");
}

static int read_all(struct target_list *all, const char *path)
{
    static const char *const keys[] = {"targets", NULL};
    const json_t *list = json_object_get(all->root, "targets");
    struct config_part part = {.path = path, .what = "the file", .object = all->root};
    if (config_only(&part, keys) != 0)
        return -1;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return config_refuse(&part, "\"targets\": a list of targets is needed, [{...}, ...]");
    all->target = xcalloc(json_array_size(list), sizeof(*all->target));
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct target t;
        part.object = json_array_get(list, i);
        snprintf(part.what, sizeof(part.what), "target %zu", i + 1);
        if (read_target(&t, &part) != 0 || check_name(all, &t, &part) != 0)
            return -1;
        all->target[all->count++] = t;
    }
    return 0;
}

struct target_list *target_list_load(const char *path)
{
    struct target_list *all = xcalloc(1, sizeof(*all));
    all->root = config_load(path, true);
    if (all->root != NULL && read_all(all, path) == 0)
        return all;
    target_list_destroy(all);
    return NULL;
}

void target_list_destroy(struct target_list *targets)
{
    if (targets == NULL)
        return;
    json_decref(targets->root);
    free(targets->target);
    free(targets);
}

const struct target *target_list_find(const struct target_list *targets, const char *name)
{
    for (size_t i = 0; i < targets->count; i++)
        if (strcmp(targets->target[i].name, name) == 0)
            return &targets->target[i];
    return NULL;
}

bool target_allows(const struct target *target, const char *test)
{
    size_t i;
    json_t *name;
    json_array_foreach(target->tests, i,
                       name) if (strcmp(json_string_value(name), test) == 0) return true;
    return target->tests == NULL;
}
