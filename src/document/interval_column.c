/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/interval_column.h"

#include <string.h>

#include "base/util.h"

static const struct interval_column fixed[] = {
    {"from_s", "from_s"},
    {"to_s", "to_s"},
    {"seconds", "seconds"},
    {"warmup", "warmup"},
    {"threads", "threads"},
    {"asked_per_s", "asked_per_s"},
    {"offered_per_s", "offered_per_s"},
    {"completed_per_s", "completed_per_s"},
    {"offered", "offered"},
    {"completed", "completed"},
    {"failed", "failed"},
    {"dropped", "dropped"},
    {"queue_length", "queue_length"},
    {"concurrency", "concurrency"},
    {"in_system_mean", "in_system/mean"},
    {"reads", "counters/reads"},
    {"writes", "counters/writes"},
    {"other", "counters/other"},
    {"no_op_writes", "no_op_writes"},
    {"errors", "counters/errors"},
    {"reconnects", "counters/reconnects"},
    {"down_ns", "counters/down_ns"},
    {"response_ms_min", "response_ms/min"},
    {"response_ms_mean", "response_ms/mean"},
    {"response_ms_max", "response_ms/max"},
    {"wait_ms_mean", "wait_ms/mean"},
    {"wait_ms_max", "wait_ms/max"},
    {"service_ms_mean", "service_ms/mean"},
    {"service_ms_max", "service_ms/max"},
    {"generator_lag_us_max", "generator_lag_us/max"},
};

static char *join(const char *format, const char *kind, const char *member)
{
    char *text;
    return asprintf(&text, format, kind, member) < 0 ? checked_alloc(NULL) : text;
}

static void add(struct interval_columns *columns, char *name, char *path)
{
    columns->column = xrealloc(columns->column, (columns->count + 1) * sizeof(*columns->column));
    columns->column[columns->count++] = (struct interval_column){name, path};
}

static void add_percentiles(struct interval_columns *columns, const json_t *interval,
                            const char *kind)
{
    const char *percentile;
    json_t *entry;
    json_t *percentiles = json_object_get(json_object_get(interval, kind), "percentiles");
    json_object_foreach(percentiles, percentile, entry)
        add(columns, join("%s_p%s", kind, percentile),
            join("%s/percentiles/%s/value", kind, percentile));
}

/* Of each source that was watched, what is a figure: the first interval has all of them, null where
 * unknown. */
static void add_probes(struct interval_columns *columns, const json_t *interval)
{
    const char *source, *figure;
    json_t *figures, *value;
    json_object_foreach(json_object_get(interval, "probes"), source, figures) json_object_foreach(
        figures, figure, value) if (json_is_number(value) || json_is_null(value))
        add(columns, join("%s_%s", source, figure), join("probes/%s/%s", source, figure));
}

/* The columns of one target: as those of the whole, behind "target_0_" and "targets/0/". */
static void add_target(struct interval_columns *columns, size_t number, const json_t *target)
{
    static const struct interval_column of_target[] = {
        {"completed_per_s", "completed_per_s"},
        {"failed", "failed"},
        {"connections", "connections"},
        {"lost", "lost"},
        {"errors", "counters/errors"},
        {"reconnects", "counters/reconnects"},
        {"response_ms_mean", "response_ms/mean"},
        {"response_ms_max", "response_ms/max"},
    };
    struct interval_columns own = {0};
    char which[24];

    for (size_t i = 0; i < ARRAY_SIZE(of_target); i++)
        add(&own, xstrdup(of_target[i].name), xstrdup(of_target[i].path));
    add_percentiles(&own, target, "response_ms");
    snprintf(which, sizeof(which), "%zu", number);
    for (size_t i = 0; i < own.count; i++)
        add(columns, join("target_%s_%s", which, own.column[i].name),
            join("targets/%s/%s", which, own.column[i].path));
    interval_columns_fini(&own);
}

void interval_columns_init(struct interval_columns *columns, const json_t *interval)
{
    *columns = (struct interval_columns){0};
    for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
        add(columns, xstrdup(fixed[i].name), xstrdup(fixed[i].path));
    add_percentiles(columns, interval, "response_ms");
    add_percentiles(columns, interval, "wait_ms");
    add_percentiles(columns, interval, "service_ms");
    add_probes(columns, interval);
    size_t number;
    json_t *target;
    json_array_foreach(json_object_get(interval, "targets"), number, target)
        add_target(columns, number, target);
}

void interval_columns_fini(struct interval_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free((char *)columns->column[i].name);
        free((char *)columns->column[i].path);
    }
    free(columns->column);
    *columns = (struct interval_columns){0};
}

const json_t *interval_value(const json_t *interval, const char *path)
{
    const json_t *value = interval;
    while (value != NULL && path[0] != '\0') {
        size_t length = strcspn(path, "/");
        value = json_is_array(value) ? json_array_get(value, strtoul(path, NULL, 10))
                                     : json_object_getn(value, path, length);
        path += length + (path[length] == '/');
    }
    return value;
}
