/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "main/server_settings.h"

#include <jansson.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "options/exit_codes.h"
#include "report/json/report_json_value.h"
#include "sql/sql_settings.h"

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static char *copy_of(const json_t *object, const char *name)
{
    const char *text = text_of(object, name);
    return text != NULL ? xstrdup(text) : NULL;
}

/* Scopes are static strings in the driver, so those of a request are kept by the request. */
static void change_init(struct setting_change *change, const json_t *request)
{
    const json_t *settings = json_object_get(request, "settings"), *value;
    const json_t *start = json_object_get(request, "replication");
    size_t i;
    *change = (struct setting_change){.host = text_of(request, "host"),
                                      .count = json_array_size(settings)};
    change->setting = xcalloc(change->count + 1, sizeof(*change->setting));
    change->restart = xcalloc(change->count + 1, sizeof(*change->restart));
    change->start = xcalloc(json_array_size(start) + 1, sizeof(*change->start));
    if (strcmp(text_of(request, "op"), "set") == 0)
        change->wanted = xcalloc(change->count + 1, sizeof(*change->wanted));
    json_array_foreach((json_t *)settings, i, value)
    {
        struct server_setting *setting = &change->setting[i];
        snprintf(setting->name, sizeof(setting->name), "%s", text_of(value, "name"));
        setting->value = copy_of(value, "value");
        setting->kept = copy_of(value, "kept");
        setting->scope = text_of(value, "scope");
        if (change->wanted != NULL)
            change->wanted[i] = copy_of(value, "wanted");
    }
    json_array_foreach((json_t *)start, i, value) change->start[change->starts++] =
        xstrdup(json_string_value(value));
}

static void change_fini(struct setting_change *change)
{
    for (size_t i = 0; i < change->count; i++) {
        setting_fini(&change->setting[i]);
        if (change->wanted != NULL)
            free(change->wanted[i]);
    }
    for (size_t i = 0; i < change->starts; i++)
        free(change->start[i]);
    free(change->setting);
    free(change->wanted);
    free(change->restart);
    free(change->start);
}

static json_t *answer_of(const struct setting_change *change)
{
    json_t *answer = value_object(), *settings = value_array(), *start = value_array(),
           *restart = value_array();
    for (size_t i = 0; i < change->count; i++) {
        const struct server_setting *setting = &change->setting[i];
        json_t *one = value_object();
        value_set(one, "name", value_text(setting->name));
        value_set(one, "value", value_text(setting->value));
        value_set(one, "scope", value_text(setting->scope));
        value_set(one, "kept", value_text(setting->kept));
        value_append(settings, one);
        if (change->restart[i])
            value_append(restart, value_text(setting->name));
    }
    for (size_t i = 0; i < change->starts; i++)
        value_append(start, value_text(change->start[i]));
    value_set(answer, "where", value_text(change->where));
    value_set(answer, "settings", settings);
    value_set(answer, "replication", start);
    value_set(answer, "restart", restart);
    value_set(answer, "replication_restarted", json_boolean(change->restarted));
    return answer;
}

static int write_answer(const struct setting_change *change, const char *path)
{
    json_t *answer = answer_of(change);
    const int status = json_dump_file(answer, path, 0);
    if (status != 0)
        log_text(LOG_FATAL, "cannot write '%s'", path);
    json_decref(answer);
    return status;
}

/* Returns false if a member is missing that the functions above rely on. */
static bool is_request(const json_t *request)
{
    const json_t *settings = json_object_get(request, "settings"), *value;
    size_t i;
    bool good = text_of(request, "op") != NULL && json_is_array(settings);
    json_array_foreach((json_t *)settings, i, value)
    {
        const char *name = text_of(value, "name");
        good = good && name != NULL && setting_name_is_valid(name);
    }
    return good;
}

int server_settings_execute(const char *path)
{
    struct setting_change change;
    json_error_t error;
    json_t *request = json_load_file(path, 0, &error);
    if (request == NULL || !is_request(request)) {
        log_text(LOG_FATAL, "cannot use '%s' as a request of a tool", path);
        json_decref(request);
        return EXIT_FAILED;
    }
    change_init(&change, request);
    int status = strcmp(text_of(request, "op"), "read") == 0 ? sql_settings_read(&change)
                                                             : sql_settings_change(&change);
    if (status == 0)
        status = write_answer(&change, path);
    change_fini(&change);
    json_decref(request);
    return status == 0 ? EXIT_WELL : EXIT_FAILED;
}
