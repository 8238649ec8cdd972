/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/effects_json.h"

struct effects effects_from_json(const json_t *part)
{
    static const char *const names[EFFECT_TYPES] = {
        [EFFECT_WRITES] = "count",
        [EFFECT_UNMATCHED] = "unmatched",
        [EFFECT_UNCHANGED] = "unchanged",
        [EFFECT_ROWS_MATCHED] = "rows_matched",
        [EFFECT_ROWS_CHANGED] = "rows_changed",
    };
    const json_t *all = json_object_get(part, "effects");
    struct effects e = {0};
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++) {
        const json_t *one = json_object_get(all, write_kind_name(kind));
        for (unsigned i = 0; i < EFFECT_TYPES; i++)
            e.count[kind][i] = (uint64_t)json_integer_value(json_object_get(one, names[i]));
    }
    return e;
}
