/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the members of a JSON text without parsing their values: a report of a day has 86 400
 * intervals, and a parsed tree of all of them would take a hundred times the memory of one
 * interval. Until slice_parse() has parsed a slice, only its brackets and quotes are known to be
 * correct.
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

/* State of an iteration over the members of an object or the elements of an array. */
struct slice_walk {
    const char *at, *end;
    bool object;
    bool failed;      /* the text ends early or is not bracketed like JSON */
    struct slice key; /* key of the current member of an object, without quotes, escapes not
                       * decoded */
    struct slice value;
};

/* Begins an iteration over `text`, an object or an array, which white space may surround. If
 * `text` is something else, the walk is marked as failed and the first slice_walk_next() returns
 * false. */
struct slice_walk slice_walk_begin(struct slice text);
/* Moves to the next member and sets its key and value. Returns false at the end or if the walk
 * has failed. Text after the end, except white space, is a failure. */
bool slice_walk_next(struct slice_walk *walk);

/* Returns true if the current member has this key. */
bool slice_key_is(const struct slice_walk *walk, const char *key);

/* Parses a slice. Returns a new reference, or NULL if the slice is not valid JSON. */
json_t *slice_parse(struct slice value);

#endif
