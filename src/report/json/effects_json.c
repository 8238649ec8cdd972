/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/effects_json.h"

#include "report/json/json_value.h"

static const char *const names[EFFECT_TYPES] = {
    [EFFECT_WRITES] = "count",
    [EFFECT_UNMATCHED] = "unmatched",
    [EFFECT_UNCHANGED] = "unchanged",
    [EFFECT_ROWS_MATCHED] = "rows_matched",
    [EFFECT_ROWS_CHANGED] = "rows_changed",
};

static json_t *value_effect(const struct effects *e, enum write_kind kind)
{
    json_t *object = value_object();
    for (unsigned i = 0; i < EFFECT_TYPES; i++) {
        value_set(object, names[i], value_count(e->count[kind][i]));
        if (i == EFFECT_WRITES)
            value_set(object, "no_op_writes", value_count(effects_no_ops(e, kind)));
    }
    return object;
}

json_t *value_effects(const struct effects *e)
{
    json_t *object = value_object();
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        if (effects_writes(e, kind) > 0)
            value_set(object, write_kind_name(kind), value_effect(e, kind));
    return object;
}

struct effects effects_from_json(const json_t *part)
{
    const json_t *all = json_object_get(part, "effects");
    struct effects e = {0};
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++) {
        const json_t *one = json_object_get(all, write_kind_name(kind));
        for (unsigned i = 0; i < EFFECT_TYPES; i++)
            e.count[kind][i] = (uint64_t)json_integer_value(json_object_get(one, names[i]));
    }
    return e;
}
