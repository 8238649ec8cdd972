/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_settings.h"

#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"
#include "report/json/report_settings.h"
#include "report/text/interval_column.h"

/* Returns the value as text for output: a text without quotes but with JSON escapes. */
static json_t *shown(const json_t *value)
{
    if (value == NULL)
        return value_text("-");
    char *text = checked_alloc(json_dumps(value, JSON_ENCODE_ANY | REPORT_JSON_FLAGS));
    size_t length = strlen(text);
    bool quoted = length >= 2 && text[0] == '"';
    json_t *result = json_stringn(quoted ? text + 1 : text, quoted ? length - 2 : length);
    free(text);
    return checked_alloc(result);
}

static void add_difference(json_t *differences, const char *prefix, const char *name,
                           const json_t *a, const json_t *b)
{
    char *key;
    if (a == b || json_equal(a, b))
        return;
    json_t *pair = value_array();
    value_append(pair, shown(a));
    value_append(pair, shown(b));
    checked_alloc(asprintf(&key, "%s%s", prefix, name) < 0 ? NULL : key);
    value_set(differences, key, pair);
    free(key);
}

static void add_members(json_t *differences, const char *prefix, const json_t *a, const json_t *b)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)a, name, value) if (report_is_setting(name))
        add_difference(differences, prefix, name, value, json_object_get(b, name));
    json_object_foreach((json_t *)b, name,
                        value) if (report_is_setting(name) && json_object_get(a, name) == NULL)
        add_difference(differences, prefix, name, NULL, value);
}

static json_t *own_differences(const struct compare_run *a, const struct compare_run *b)
{
    const json_t *x = a->document.head, *y = b->document.head;
    json_t *differences = value_object();
    add_difference(differences, "", "test", json_object_get(x, "test"), json_object_get(y, "test"));
    add_difference(differences, "sysrate ", "version", interval_value(x, "tool/version"),
                   interval_value(y, "tool/version"));
    add_members(differences, "", json_object_get(x, "config"), json_object_get(y, "config"));
    return differences;
}

json_t *compare_settings_differences(const struct compare_run *a, const struct compare_run *b)
{
    json_t *differences = own_differences(a, b);
    const json_t *x = json_object_get(a->document.head, "server_config");
    const json_t *y = json_object_get(b->document.head, "server_config");
    if (json_is_object(x) && json_is_object(y))
        add_members(differences, "server ", x, y);
    return differences;
}

int compare_settings_check_repeat(const struct compare_run *first, const struct compare_run *run)
{
    json_t *differences = own_differences(first, run);
    void *one = json_object_iter(differences);
    if (one != NULL) {
        const json_t *pair = json_object_iter_value(one);
        log_text(LOG_FATAL, "'%s' is not a repeat of '%s': %s is %.200s, not %.200s", run->path,
                 first->path, json_object_iter_key(one), json_string_value(json_array_get(pair, 1)),
                 json_string_value(json_array_get(pair, 0)));
    }
    json_decref(differences);
    return one == NULL ? 0 : -1;
}
