/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/interval_column.h"

#include <string.h>

#include "base/util.h"

#define DRAWN true
#define UNDRAWN false

/* The path of a column's figure in an interval of the JSON report, and whether a chart of the
 * page shows the figure. */
struct known_column {
    const char *path;
    bool drawn;
};

static const struct known_column fixed[] = {
    {"from_s", UNDRAWN},
    {"to_s", DRAWN},
    {"seconds", UNDRAWN},
    {"warmup", UNDRAWN},
    {"workers", DRAWN},
    {"asked_per_s", DRAWN},
    {"offered_per_s", DRAWN},
    {"completed_per_s", DRAWN},
    {"offered", UNDRAWN},
    {"completed", UNDRAWN},
    {"failed", DRAWN},
    {"dropped", DRAWN},
    {"queue", DRAWN},
    {"busy", DRAWN},
    {"queue_mean", DRAWN},
    {"busy_mean", DRAWN},
    {"in_system/mean", UNDRAWN},
    {"counters/reads", UNDRAWN},
    {"counters/writes", UNDRAWN},
    {"counters/other", UNDRAWN},
    {"no_op_writes", UNDRAWN},
    {"counters/errors", DRAWN},
    {"counters/reconnects", DRAWN},
    {"counters/down_ns", UNDRAWN},
    {"response_ms/min", UNDRAWN},
    {"response_ms/mean", DRAWN},
    {"response_ms/max", DRAWN},
    {"wait_ms/mean", DRAWN},
    {"wait_ms/max", UNDRAWN},
    {"connection_wait_ms/mean", DRAWN},
    {"connection_wait_ms/max", UNDRAWN},
    {"counters/pool_timeouts", UNDRAWN},
    {"service_ms/mean", DRAWN},
    {"service_ms/max", UNDRAWN},
    {"generator_lag_us/max", UNDRAWN},
    {"connect_ms/count", UNDRAWN},
    {"connect_ms/mean", UNDRAWN},
    {"connect_ms/max", UNDRAWN},
    {"connects_failed", UNDRAWN},
    {"policy/goodput_per_s", DRAWN},
    {"policy/attempts_per_request", UNDRAWN},
    {"policy/load_amplification", DRAWN},
    {"policy/lost_s", UNDRAWN},
    {"counters/timeouts", UNDRAWN},
    {"counters/unsent", UNDRAWN},
    {"counters/late", UNDRAWN},
    {"counters/retries", UNDRAWN},
    {"counters/refused_retries", UNDRAWN},
    {"idle_connections", DRAWN},
};

static char *join(const char *format, const char *kind, const char *member)
{
    char *text;
    return asprintf(&text, format, kind, member) < 0 ? checked_alloc(NULL) : text;
}

/* Adds a column, unless it is not drawn and only drawn columns are wanted. Takes ownership of
 * both strings. */
static void add(struct interval_columns *columns, char *name, char *path, bool drawn)
{
    if (columns->drawn_only && !drawn) {
        free(name);
        free(path);
        return;
    }
    columns->column = xrealloc(columns->column, (columns->count + 1) * sizeof(*columns->column));
    columns->column[columns->count++] = (struct interval_column){name, path};
}

/* Adds a column and derives its name from its path: "response_ms/mean" becomes response_ms_mean;
 * a counter is named without "counters/". */
static void add_known(struct interval_columns *columns, const struct known_column *known)
{
    static const char counters[] = "counters/";
    const bool counter = strncmp(known->path, counters, strlen(counters)) == 0;
    char *name = xstrdup(known->path + (counter ? strlen(counters) : 0));
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '/' ? '_' : *c;
    add(columns, name, xstrdup(known->path), known->drawn);
}

static void add_percentiles(struct interval_columns *columns, const json_t *interval,
                            const char *kind, bool drawn)
{
    const char *percentile;
    json_t *entry;
    json_t *percentiles = json_object_get(json_object_get(interval, kind), "percentiles");
    json_object_foreach(percentiles, percentile, entry)
        add(columns, join("%s_%s", kind, percentile),
            join("%s/percentiles/%s/value", kind, percentile), drawn);
}

/* Adds the figures of each observed source. The first interval has all of them; those that are
 * not known yet are null. */
static void add_probes(struct interval_columns *columns, const json_t *interval)
{
    const char *source, *figure;
    json_t *figures, *value;
    json_object_foreach(json_object_get(interval, "probes"), source, figures)
        json_object_foreach(figures, figure, value) if (!json_is_string(value)) add(
            columns, join("%s_%s", source, figure), join("probes/%s/%s", source, figure), DRAWN);
}

/*
 * Adds the shares of the waits: the parts of all time and, for CSV, the kinds of waits. A chart has
 * the events instead, which may occur first in a later interval. "/" in the name of an event is
 * INTERVAL_SLASH in a path.
 */
static void add_waits(struct interval_columns *columns, const json_t *interval)
{
    static const struct known_column shares[] = {
        {"wait_events/samples", DRAWN},          {"wait_events/client_late_percent", DRAWN},
        {"wait_events/waiting_percent", DRAWN},  {"wait_events/undivided_percent", DRAWN},
        {"wait_events/cpu_percent", UNDRAWN},    {"wait_events/locks_percent", UNDRAWN},
        {"wait_events/io_percent", UNDRAWN},     {"wait_events/client_percent", UNDRAWN},
        {"wait_events/silent_percent", UNDRAWN}, {"wait_events/other_percent", UNDRAWN},
    };
    const char *event;
    json_t *share, *waits = json_object_get(interval, "wait_events");
    for (size_t i = 0; waits != NULL && i < ARRAY_SIZE(shares); i++)
        add_known(columns, &shares[i]);
    if (!columns->drawn_only)
        return;
    json_object_foreach(json_object_get(waits, "events"), event, share)
    {
        char *path = join("%s/%s", "wait_events/events", event);
        for (char *c = path + strlen("wait_events/events/"); *c != '\0'; c++)
            *c = *c == '/' ? INTERVAL_SLASH : *c;
        add(columns, join("%s:%s", "wait", event), path, DRAWN);
    }
}

/* Moves the columns of element `number` of the array `list`, such as a host, to `columns`. Names
 * begin with "host_0_", paths with "hosts/0/". */
static void add_own(struct interval_columns *columns, struct interval_columns *own,
                    const char *name, const char *list, size_t number)
{
    char before[48], where[48];
    snprintf(before, sizeof(before), "%s_%zu", name, number);
    snprintf(where, sizeof(where), "%s/%zu", list, number);
    for (size_t i = 0; i < own->count; i++)
        add(columns, join("%s_%s", before, own->column[i].name),
            join("%s/%s", where, own->column[i].path), DRAWN);
    interval_columns_fini(own);
}

static void add_part(struct interval_columns *columns, const char *name, const char *list,
                     size_t number, const json_t *part)
{
    static const struct known_column of_part[] = {
        {"completed_per_s", DRAWN},
        {"failed", UNDRAWN},
        {"counters/errors", UNDRAWN},
        {"counters/reconnects", UNDRAWN},
        {"response_ms/mean", DRAWN},
        {"response_ms/max", UNDRAWN},
    };
    static const struct known_column of_host[] = {
        {"connections", UNDRAWN},
        {"lost", UNDRAWN},
    };
    static const struct known_column of_deferred[] = {{"queued", UNDRAWN}};
    struct interval_columns own = {.drawn_only = columns->drawn_only};

    for (size_t i = 0; i < ARRAY_SIZE(of_part); i++)
        add_known(&own, &of_part[i]);
    for (size_t i = 0; interval_value(part, "connections") != NULL && i < ARRAY_SIZE(of_host); i++)
        add_known(&own, &of_host[i]);
    if (interval_value(part, "rank") != NULL)
        add(&own, xstrdup("rank"), xstrdup("rank"), DRAWN);
    for (size_t i = 0; interval_value(part, "queued") != NULL && i < ARRAY_SIZE(of_deferred); i++)
        add_known(&own, &of_deferred[i]);
    add_percentiles(&own, part, "response_ms", DRAWN);
    add_own(columns, &own, name, list, number);
}

static void add_parts(struct interval_columns *columns, const json_t *interval, const char *name,
                      const char *list)
{
    size_t number;
    json_t *part;
    json_array_foreach(json_object_get(interval, list), number, part)
        add_part(columns, name, list, number, part);
}

/* Adds the figures of each class of statements. */
static void add_classes(struct interval_columns *columns, const json_t *interval)
{
    static const struct known_column of_class[] = {
        {"count", UNDRAWN},        {"errors", UNDRAWN},     {"rows_matched", UNDRAWN},
        {"rows_changed", UNDRAWN}, {"time_ms/mean", DRAWN}, {"time_ms/max", UNDRAWN},
    };
    size_t number;
    json_t *class;
    json_array_foreach(json_object_get(interval, "statements"), number, class)
    {
        struct interval_columns own = {.drawn_only = columns->drawn_only};
        for (size_t i = 0; i < ARRAY_SIZE(of_class); i++)
            add_known(&own, &of_class[i]);
        add_percentiles(&own, class, "time_ms", DRAWN);
        add_own(columns, &own, "statement", "statements", number);
    }
}

/* Adds the figures of quality. The names have only letters, digits and '_'. */
static void add_qualities(struct interval_columns *columns, const json_t *interval)
{
    const char *name;
    json_t *figure;
    json_object_foreach(json_object_get(interval, "quality"), name, figure)
    {
        char where[64];
        snprintf(where, sizeof(where), "quality/%.31s", name);
        add(columns, join("quality_%s%s", name, ""), join("%s/%s", where, "mean"), DRAWN);
        add(columns, join("quality_%s%s", name, "_low"), join("%s/%s", where, "low"), UNDRAWN);
        add(columns, join("quality_%s%s", name, "_high"), join("%s/%s", where, "high"), UNDRAWN);
        add(columns, join("quality_%s%s", name, "_count"), join("%s/%s", where, "count"), UNDRAWN);
    }
}

static void add_sessions(struct interval_columns *columns, const json_t *interval)
{
    static const struct known_column of_sessions[] = {{"sessions_in_progress", DRAWN},
                                                      {"sessions_ended", UNDRAWN},
                                                      {"session_ms/mean", UNDRAWN},
                                                      {"session_ms/max", UNDRAWN}};
    const bool any = json_object_get(interval, "sessions_in_progress") != NULL;
    for (size_t i = 0; any && i < ARRAY_SIZE(of_sessions); i++)
        add_known(columns, &of_sessions[i]);
}

/* The ages of data of replicas. */
static void add_staleness(struct interval_columns *columns, const json_t *interval)
{
    static const struct known_column of_staleness[] = {{"staleness_ms/count", UNDRAWN},
                                                       {"staleness_ms/mean", DRAWN},
                                                       {"staleness_ms/max", DRAWN},
                                                       {"staleness_unanswered", UNDRAWN}};
    const bool any = json_object_get(interval, "staleness_ms") != NULL;
    for (size_t i = 0; any && i < ARRAY_SIZE(of_staleness); i++)
        add_known(columns, &of_staleness[i]);
    add_percentiles(columns, interval, "staleness_ms", DRAWN);
}

static void add_all(struct interval_columns *columns, const json_t *interval)
{
    for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
        add_known(columns, &fixed[i]);
    add_percentiles(columns, interval, "response_ms", DRAWN);
    add_percentiles(columns, interval, "wait_ms", UNDRAWN);
    add_percentiles(columns, interval, "connection_wait_ms", UNDRAWN);
    add_percentiles(columns, interval, "service_ms", UNDRAWN);
    add_sessions(columns, interval);
    add_staleness(columns, interval);
    add_qualities(columns, interval);
    add_probes(columns, interval);
    add_waits(columns, interval);
    add_parts(columns, interval, "host", "hosts");
    add_parts(columns, interval, "type", "event_types");
    add_parts(columns, interval, "deferred", "deferred");
    add_classes(columns, interval);
    if (columns->drawn_only)
        add_parts(columns, interval, "rank", "ranks");
}

void interval_columns_init(struct interval_columns *columns, const json_t *interval)
{
    *columns = (struct interval_columns){0};
    add_all(columns, interval);
}

void interval_columns_init_drawn(struct interval_columns *columns, const json_t *interval)
{
    *columns = (struct interval_columns){.drawn_only = true};
    add_all(columns, interval);
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

/* Returns the member of an object. The key is a step of a path. */
static const json_t *member(const json_t *object, const char *step, size_t length)
{
    if (memchr(step, INTERVAL_SLASH, length) == NULL)
        return json_object_getn(object, step, length);
    char *key = checked_alloc(strndup(step, length));
    for (char *c = key; *c != '\0'; c++)
        *c = *c == INTERVAL_SLASH ? '/' : *c;
    const json_t *value = json_object_get(object, key);
    free(key);
    return value;
}

const json_t *interval_value(const json_t *interval, const char *path)
{
    const json_t *value = interval;
    while (value != NULL && path[0] != '\0') {
        size_t length = strcspn(path, "/");
        value = json_is_array(value) ? json_array_get(value, strtoul(path, NULL, 10))
                                     : member(value, path, length);
        path += length + (path[length] == '/');
    }
    return value;
}
