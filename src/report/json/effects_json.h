/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EFFECTS_JSON_H
#define EFFECTS_JSON_H

#include <jansson.h>

#include "stats/effects.h"

/*
 * What writes came to in an interval or the summary of a report; all 0 in one of another version,
 * which has no "effects".
 */
struct effects effects_from_json(const json_t *part);

#endif
