/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a JSON text, found without parsing what is in them: a report of a day has 86 400
 * intervals, and a tree of all of them would take a hundred times the memory of one. What a slice
 * holds is only bracketed like JSON until slice_parse() has read it.
 */
#ifndef JSON_SLICE_H
#define JSON_SLICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct slice {
    const char *start;
    size_t bytes;
};

/* Goes through the members of an object or the elements of an array. */
struct slice_walk {
    const char *at, *end;
    bool object;
    bool failed;      /* the text ends early or is not bracketed like JSON */
    struct slice key; /* of an object's member, without its quotes, escapes as they stand */
    struct slice value;
};

/* `text` is an object or an array, blanks around it allowed; else the walk has failed and ends at
 * once. */
struct slice_walk slice_walk_begin(struct slice text);
/* Sets key and value. False at the end, or when `failed`. Behind the end nothing but blanks is
 * allowed. */
bool slice_walk_next(struct slice_walk *walk);

bool slice_key_is(const struct slice_walk *walk, const char *key);

/* A new reference; NULL when it is not JSON. */
json_t *slice_parse(struct slice value);

#endif
