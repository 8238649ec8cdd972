/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the archive entry of a capacity search from its capacity.json (docs/capacity.md). */
#include <math.h>
#include <string.h>

#include "archive/archive_entry.h"
#include "base/log.h"
#include "base/util.h"
#include "report/json/report_json.h"
#include "report/text/interval_column.h"

#define SCHEMA 1

bool archive_is_capacity(const char *text, size_t bytes)
{
    struct slice_walk walk = slice_walk_begin((struct slice){text, bytes});
    while (walk.object && slice_walk_next(&walk))
        if (slice_key_is(&walk, "schema") || slice_key_is(&walk, "capacity_schema"))
            return slice_key_is(&walk, "capacity_schema");
    return false;
}

static int refuse(const char *name, const char *why)
{
    log_text(LOG_FATAL, "cannot use '%s': %s", name, why);
    return -1;
}

static int check(const json_t *all, const char *name)
{
    const json_t *schema = json_object_get(all, "capacity_schema");
    char why[96];
    if (all == NULL)
        return refuse(name, "it is not JSON, or cut short");
    if (json_integer_value(schema) != SCHEMA) {
        snprintf(why, sizeof(why), "its capacity_schema is %lld, this sysrate reads %d",
                 (long long)json_integer_value(schema), SCHEMA);
        return refuse(name, why);
    }
    if (!json_is_object(json_object_get(all, "result")) ||
        !json_is_array(json_object_get(all, "probes")) ||
        !json_is_object(interval_value(all, "settings/config")))
        return refuse(name, "it lacks \"settings\", \"result\" or \"probes\", which the result of "
                            "a capacity search has");
    return 0;
}

static const char *text_at(const json_t *all, const char *path)
{
    const char *text = json_string_value(interval_value(all, path));
    return text != NULL ? text : "-";
}

static double number_at(const json_t *all, const char *path)
{
    const json_t *value = interval_value(all, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Returns true if the search used a probe in which the client was late. */
static bool client_was_late(const json_t *all)
{
    size_t i;
    json_t *probe;
    json_array_foreach(json_object_get(all, "probes"), i,
                       probe) if (json_is_false(json_object_get(probe, "trusted")) &&
                                  json_is_true(json_object_get(probe, "counts")) &&
                                  strcmp(text_at(probe, "phase"), "bracket") != 0) return true;
    return false;
}

static const char *name_of_verdict(const json_t *all)
{
    const char *outcome = text_at(all, "result/outcome");
    if (strcmp(outcome, "below_min") == 0)
        return "BELOW-MIN";
    if (strcmp(outcome, "above_max") == 0)
        return "ABOVE-MAX";
    if (strcmp(outcome, "found") != 0)
        return "NOT-FOUND";
    if (client_was_late(all))
        return "CLIENT-LIMITED";
    return json_is_true(interval_value(all, "result/precise")) ? "VALID" : "IMPRECISE";
}

static double measured_s(const json_t *all)
{
    double sum = 0;
    size_t i;
    json_t *probe;
    json_array_foreach(json_object_get(all, "probes"), i, probe) sum +=
        json_number_value(json_object_get(probe, "seconds"));
    return sum;
}

static void take_figures(double *figure, const json_t *all)
{
    const bool found = strcmp(text_at(all, "result/outcome"), "found") == 0;
    for (int i = 0; i < ARCHIVE_FIGURES; i++)
        figure[i] = NAN;
    figure[ARCHIVE_WORKERS] = number_at(all, "settings/config/threads");
    figure[ARCHIVE_SECONDS] = measured_s(all);
    if (!found)
        return;
    figure[ARCHIVE_CAPACITY_PER_S] = number_at(all, "result/rate_per_s");
    figure[ARCHIVE_CAPACITY_LOW_PER_S] = number_at(all, "result/low_per_s");
    figure[ARCHIVE_CAPACITY_HIGH_PER_S] = number_at(all, "result/high_per_s");
}

int archive_entry_read_capacity(struct archive_entry *entry, const json_t *all, const char *name)
{
    *entry = (struct archive_entry){.kind = ARCHIVE_CAPACITY};
    if (check(all, name) != 0)
        return -1;
    take_figures(entry->figure, all);
    entry->own_settings = checked_alloc(
        json_dumps(json_object_get(all, "settings"), JSON_SORT_KEYS | REPORT_JSON_FLAGS));
    entry->settings = entry->own_settings;
    entry->verdict = name_of_verdict(all);
    entry->started = text_at(all, "started");
    entry->test = text_at(all, "test");
    entry->version = text_at(all, "version");
    entry->host = text_at(all, "settings/client/host");
    return 0;
}
