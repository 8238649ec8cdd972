/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/trend/trend_memory.h"

#include <zlib.h>

#include "base/util.h"
#include "report/json/report_json_value.h"

/* Version of the method: saved results of another version are ignored. */
#define METHOD 1

/* Checksum of the judged values, to detect runs that were added later or removed. */
static json_int_t crc_of(const double *value, size_t count)
{
    return (json_int_t)crc32_z(crc32(0, NULL, 0), (const Bytef *)value, count * sizeof(*value));
}

static size_t size_at(const json_t *object, const char *name)
{
    return (size_t)max_i64(0, json_integer_value(json_object_get(object, name)));
}

static bool is_of(const json_t *kept, const double *value, size_t count)
{
    size_t done = size_at(kept, "done");
    return size_at(kept, "method") == METHOD && done > 0 && done <= count &&
           size_at(kept, "from") <= done &&
           json_integer_value(json_object_get(kept, "crc")) == crc_of(value, done);
}

void trend_recall(struct change_state *state, struct archive *archive, int64_t series,
                  enum trend_figure figure, const double *value, size_t count)
{
    char *text = archive_recall(archive, series, trend_figure_name(figure));
    json_t *kept = text != NULL ? json_loads(text, 0, NULL) : NULL, *step;
    size_t i;
    free(text);
    if (kept != NULL && is_of(kept, value, count)) {
        const json_t *steps = json_object_get(kept, "steps");
        *state = (struct change_state){.from = size_at(kept, "from"),
                                       .done = size_at(kept, "done"),
                                       .chance = json_number_value(json_object_get(kept, "chance")),
                                       .step = xcalloc(json_array_size(steps) + 1, sizeof(size_t)),
                                       .steps = json_array_size(steps)};
        json_array_foreach(steps, i, step) state->step[i] = (size_t)json_integer_value(step);
    }
    json_decref(kept);
}

void trend_remember(const struct change_state *state, struct archive *archive, int64_t series,
                    enum trend_figure figure, const double *value)
{
    json_t *kept = value_object(), *steps = value_array();
    value_set(kept, "method", json_integer(METHOD));
    value_set(kept, "from", value_count(state->from));
    value_set(kept, "done", value_count(state->done));
    value_set(kept, "crc", json_integer(crc_of(value, state->done)));
    value_set(kept, "chance", json_real(state->chance));
    for (size_t i = 0; i < state->steps; i++)
        value_append(steps, value_count(state->step[i]));
    value_set(kept, "steps", steps);
    char *text = checked_alloc(json_dumps(kept, JSON_COMPACT));
    archive_remember(archive, series, trend_figure_name(figure), text);
    free(text);
    json_decref(kept);
}
