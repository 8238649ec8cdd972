/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/compare/compare_waits.h"

#include <string.h>

#include "report/json/report_json_value.h"

/* Waits with smaller shares on both sides, in percent, are not printed. */
#define SHARE_SHOWN 1

static const json_t *slow_of(const struct compare_run *run)
{
    const json_t *waits = json_object_get(run->document.head, "wait_events");
    return json_object_get(json_object_get(waits, "requests"), "p99");
}

static const json_t *events_of(const struct compare_run *run)
{
    return json_object_get(json_object_get(run->document.head, "wait_events"), "events");
}

static bool is_known(const struct compare_side *side)
{
    for (size_t i = 0; i < side->runs; i++)
        if (!json_is_true(json_object_get(slow_of(&side->run[i]), "divided")))
            return false;
    return side->runs > 0;
}

static const char *name_of(const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "event"));
    return name != NULL ? name : "";
}

/* Returns the share of an event; 0 if the run has not seen it. */
static double share_of(const struct compare_run *run, const char *event)
{
    size_t i;
    json_t *row;
    json_array_foreach(events_of(run), i, row)
    {
        if (strcmp(name_of(row), event) == 0)
            return json_number_value(json_object_get(json_object_get(row, "p99"), "percent"));
    }
    return 0;
}

/* Returns the mean over the runs of a side, of a member of the requests above p99 or of an event.
 */
static double mean_of(const struct compare_side *side, const char *member, const char *event)
{
    double sum = 0;
    for (size_t i = 0; i < side->runs; i++)
        sum += member != NULL ? json_number_value(json_object_get(slow_of(&side->run[i]), member))
                              : share_of(&side->run[i], event);
    return sum / (double)side->runs;
}

static void add(json_t *array, const struct compare *c, const char *member, const char *event)
{
    json_t *object = value_object();
    value_set(object, "event", value_text(event));
    value_set(object, "a", value_real(mean_of(&c->a, member, event)));
    value_set(object, "b", value_real(mean_of(&c->b, member, event)));
    value_append(array, object);
}

static bool has_event(const json_t *array, const char *event)
{
    size_t i;
    json_t *row;
    json_array_foreach(array, i, row)
    {
        if (strcmp(name_of(row), event) == 0)
            return true;
    }
    return false;
}

/* Adds the events of the runs of a side that are not in the array. */
static void add_events(json_t *array, const struct compare *c, const struct compare_side *side)
{
    size_t i;
    json_t *row;
    for (size_t r = 0; r < side->runs; r++)
        json_array_foreach(events_of(&side->run[r]), i, row)
        {
            if (!has_event(array, name_of(row)))
                add(array, c, NULL, name_of(row));
        }
}

json_t *compare_waits(const struct compare *c)
{
    json_t *array = value_array();
    if (!is_known(&c->a) || !is_known(&c->b))
        return array;
    add(array, c, "client_late_percent", "client late");
    add(array, c, "waiting_percent", "waiting for a worker");
    add_events(array, c, &c->a);
    add_events(array, c, &c->b);
    return array;
}

void compare_waits_print(FILE *out, const struct compare *c)
{
    size_t i;
    json_t *waits = compare_waits(c), *row;
    if (json_array_size(waits) > 0)
        fputs("\nWaits of requests above p99, in percent of their time, which are not judged:\n",
              out);
    json_array_foreach(waits, i, row)
    {
        const double a = json_number_value(json_object_get(row, "a")),
                     b = json_number_value(json_object_get(row, "b"));
        if (a >= SHARE_SHOWN || b >= SHARE_SHOWN)
            fprintf(out, "    %-35s %14.1f %14.1f\n", name_of(row), a, b);
    }
    json_decref(waits);
}
