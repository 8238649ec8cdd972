/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes JSON into other valid JSON. libFuzzer changes single bytes, which hardly ever gives valid
 * JSON in a text as long as a report. */
#ifndef JSON_MUTATE_H
#define JSON_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Implements mutate() of struct fuzz_target: makes one to four changes, each of which replaces,
 * inserts or removes a value. */
size_t json_mutate(uint8_t *data, size_t bytes, size_t room, unsigned seed);

#endif
