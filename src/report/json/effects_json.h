/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EFFECTS_JSON_H
#define EFFECTS_JSON_H

#include <jansson.h>

#include "stats/effects.h"

/* Returns the outcome of SQL writes by kind, as {update: {count, no_op_writes, …}, …}; kinds
 * without any writes are left out. */
json_t *value_effects(const struct effects *e);

/* Reads these counts from an interval or the summary of a report. All are 0 if it has no member
 * "effects". */
struct effects effects_from_json(const json_t *part);

#endif
