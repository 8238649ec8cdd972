/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names by which schema 2 calls what it had in schema 1, wherever in a report they stand. What is
 * in an object whose keys are a user's, or of other programs, stays as it is.
 */
#include "report/json/report_schema1.h"

#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "report/json/report_json.h"
#include "report/json/report_json_value.h"

struct new_name {
    const char *old, *now;
};

/* Of members, and of the series of a source. */
static const struct new_name names[] = {
    {"buffer_hit_pct", "buffer_hit_percent"},
    {"concurrency", "busy"},
    {"cpu_busy_pct", "cpu_busy_percent"},
    {"cpu_steal_pct", "cpu_steal_percent"},
    {"lag", "generator_lag"},
    {"no_ops", "no_op_writes"},
    {"queue_length", "queue"},
    {"targets", "hosts"},
    {"threads", "workers"},
    {"trust", "audit"},
};

/* The source that was the machine. */
static const struct new_name source = {"host", "machine"};

static const char *new_name(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i].old, name) == 0)
            return names[i].now;
    return name;
}

static bool is_any(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

static json_t *convert(const char *name, const json_t *old);

static json_t *same(const json_t *value)
{
    return json_incref((json_t *)value);
}

/* {"99": …} as {"p99": …}. */
static json_t *convert_percentiles(const json_t *old)
{
    json_t *now = value_object(), *value;
    const char *percentage;
    json_object_foreach((json_t *)old, percentage, value)
    {
        /* As long as it is: what is cut off may be half a character. */
        const size_t bytes = strlen(percentage) + 2;
        char *label = xcalloc(1, bytes);
        snprintf(label, bytes, "p%s", percentage);
        value_set(now, label, same(value));
        free(label);
    }
    return now;
}

/* Of the head, {"sources": …}; of an interval, an object for each source by its name. */
static json_t *convert_probes(const json_t *old)
{
    json_t *now = value_object(), *value;
    const char *name;
    json_object_foreach((json_t *)old, name, value)
        value_set(now, strcmp(name, source.old) == 0 ? source.now : name, convert(name, value));
    return now;
}

/* What a source or a series is called. */
static json_t *convert_name(const json_t *old)
{
    const char *name = json_string_value(old);
    if (name == NULL)
        return same(old);
    return value_text(strcmp(name, source.old) == 0 ? source.now : new_name(name));
}

static json_t *convert_members(const json_t *old, bool named)
{
    json_t *now = value_object(), *value;
    const char *name;
    json_object_foreach((json_t *)old, name, value)
        value_set(now, new_name(name),
                  named && strcmp(name, "name") == 0 ? convert_name(value) : convert(name, value));
    return now;
}

static json_t *convert_elements(const char *name, const json_t *old)
{
    const bool named = strcmp(name, "sources") == 0 || strcmp(name, "series") == 0;
    json_t *now = value_array(), *value;
    size_t i;
    /* Buckets and texts have no names in them. */
    if (!json_is_object(json_array_get(old, 0))) {
        json_decref(now);
        return same(old);
    }
    json_array_foreach((json_t *)old, i, value)
        value_append(now, json_is_object(value) ? convert_members(value, named) : same(value));
    return now;
}

/* The member `name`. */
static json_t *convert(const char *name, const json_t *old)
{
    static const char *const kept[] = {"config", "server_config", "figures", NULL};
    static const char *const by_percentage[] = {"percentiles", "lateness_ms", NULL};
    if (is_any(name, kept))
        return same(old);
    if (json_is_array(old))
        return convert_elements(name, old);
    if (!json_is_object(old))
        return same(old);
    if (is_any(name, by_percentage))
        return convert_percentiles(old);
    return strcmp(name, "probes") == 0 ? convert_probes(old) : convert_members(old, false);
}

json_t *report_schema1_convert(const json_t *old)
{
    json_t *now = convert_members(old, false);
    if (json_object_get(now, "schema") != NULL)
        value_set(now, "schema", json_integer(REPORT_JSON_SCHEMA));
    return now;
}
