/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON inside of an element of a page: nothing in it can end the element or begin another one. */
#ifndef PAGE_JSON_H
#define PAGE_JSON_H

#include <jansson.h>
#include <stdio.h>

/* ASCII only, in one line; `flags` are further ones of jansson. */
void page_json_write(const json_t *value, size_t flags, FILE *out);

#endif
