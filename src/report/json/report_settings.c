/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/report_settings.h"

#include <string.h>

#include "base/util.h"
#include "report/json/report_json_value.h"

/* Members of "config" that report_settings() leaves out. */
static const char *const others[] = {
    "archive",       "archive_kind", "check_tables", "color",     "config_file", "csv",
    "debug",         "hgrm",         "hlog",         "html",      "json",        "label",
    "launcher",      "live",         "prom",         "prom_file", "rand_seed",   "report",
    "report_format", "request_log",  "strict",       "verbosity"};

bool report_is_setting(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (strcmp(others[i], name) == 0)
            return false;
    return true;
}

json_t *report_settings_others(void)
{
    json_t *names = value_array();
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        value_append(names, value_text(others[i]));
    return names;
}

static json_t *settings_among(const json_t *config)
{
    const char *name;
    json_t *value, *settings = value_object();
    json_object_foreach((json_t *)config, name, value) if (report_is_setting(name))
        value_set(settings, name, json_incref(value));
    return settings;
}

json_t *report_settings(const json_t *head)
{
    static const char *const whole[] = {"tool", "test", "client", "server_config"};
    json_t *settings = value_object();
    for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
        json_t *value = json_object_get(head, whole[i]);
        if (value != NULL)
            value_set(settings, whole[i], json_incref(value));
    }
    value_set(settings, "config", settings_among(json_object_get(head, "config")));
    return settings;
}
