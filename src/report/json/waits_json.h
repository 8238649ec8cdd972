/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the member "wait_events" of a JSON report. */
#ifndef WAITS_JSON_H
#define WAITS_JSON_H

#include <jansson.h>

#include "result/waits/wait_shares.h"

/* Returns the figures that a text report has, in new memory to be freed by the caller. Returns NULL
 * if `value` is not an object. */
struct wait_shares *waits_from_json(const json_t *value);

#endif
