/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes JSON into an HTML element: no text in the JSON can end the element or begin another
 * one. */
#ifndef PAGE_JSON_H
#define PAGE_JSON_H

#include <jansson.h>
#include <stdio.h>

/* Writes `value` in ASCII on one line; `flags` are additional flags for jansson. */
void page_json_write(const json_t *value, size_t flags, FILE *out);

#endif
