/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EFFECTS_JSON_H
#define EFFECTS_JSON_H

#include <jansson.h>

#include "stats/effects.h"

/* The outcome of writes by kind: {update: {count, no_op_writes, …}, …}; kinds without any are left
 * out. */
json_t *value_effects(const struct effects *e);

/* The same, read from an interval or the summary of a report; all 0 if it has no "effects". */
struct effects effects_from_json(const json_t *part);

#endif
