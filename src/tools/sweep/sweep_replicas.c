/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of replicas (--replica) as columns of the tables. */
#include "tools/sweep/sweep_internal.h"

#include <string.h>

#include "report/json/report_json_value.h"

#define REPLICA "replica"

/* Series of a replica that have a column, and the titles of the columns. */
static const struct {
    const char *series, *title;
} figures[] = {
    {"applied_per_s", "applied tx/s"},
    {"replayed_kib_per_s", "replayed KiB/s"},
    {"lag_s", "lag s"},
};

/* Adds the figures of a source that the server reports. */
static void add_figures(json_t *all, const char *source, const json_t *mean)
{
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
        json_t *value = json_object_get(mean, figures[i].series), *one;
        char *name, *title;
        if (!json_is_number(value))
            continue;
        if (asprintf(&name, "%s_%s", source, figures[i].series) < 0 ||
            asprintf(&title, "%s %s", source, figures[i].title) < 0)
            checked_alloc(NULL);
        one = value_object();
        value_set(one, "value", json_incref(value));
        value_set(one, "title", value_text(title));
        value_set(all, name, one);
        free(name);
        free(title);
    }
}

void sweep_note_replicas(json_t *summary, const json_t *head)
{
    const json_t *sources = json_object_get(json_object_get(head, "probes"), "sources");
    json_t *all = value_object(), *source;
    size_t i;
    json_array_foreach((json_t *)sources, i, source)
    {
        const char *name = json_string_value(json_object_get(source, "name"));
        if (name != NULL && strncmp(name, REPLICA, strlen(REPLICA)) == 0)
            add_figures(all, name, json_object_get(source, "mean"));
    }
    value_set(summary, SWEEP_REPLICAS, all);
}

json_t *sweep_replicas(const struct sweep *sweep)
{
    json_t *all = value_object();
    for (size_t i = 0; i < sweep->count; i++)
        json_object_update_missing(all, json_object_get(sweep->point[i].summary, SWEEP_REPLICAS));
    return all;
}
