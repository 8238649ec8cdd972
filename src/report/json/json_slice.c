/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/json_slice.h"

#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* Returns the position after the closing quote of the string that starts at `at`, or NULL if
 * there is no closing quote. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at + 1 : NULL;
}

static const char *skip_brackets(const char *at, const char *end)
{
    size_t depth = 0;
    while (at != NULL && at < end) {
        const char c = *at;
        at = c == '"' ? skip_string(at, end) : at + 1;
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0)
            return at;
    }
    return NULL;
}

/* Returns the position after the value that starts at `at`, or NULL if the value is incomplete. */
static const char *skip_value(const char *at, const char *end)
{
    if (at == end)
        return NULL;
    if (*at == '{' || *at == '[')
        return skip_brackets(at, end);
    if (*at == '"')
        return skip_string(at, end);
    const char *start = at;
    while (at < end && strchr(",]} \n\r\t", *at) == NULL)
        at++;
    return at > start && at < end ? at : NULL;
}

static bool fail(struct slice_walk *walk)
{
    walk->failed = true;
    return false;
}

struct slice_walk slice_walk_begin(struct slice text)
{
    struct slice_walk walk = {.end = text.start + text.bytes};
    walk.at = skip_blanks(text.start, walk.end);
    if (walk.at == walk.end || (*walk.at != '{' && *walk.at != '['))
        walk.failed = true;
    else
        walk.object = *walk.at == '{';
    return walk;
}

static bool take_key(struct slice_walk *walk)
{
    const char *end =
        walk->at < walk->end && *walk->at == '"' ? skip_string(walk->at, walk->end) : NULL;
    if (end == NULL)
        return fail(walk);
    walk->key = (struct slice){walk->at + 1, (size_t)(end - walk->at) - 2};
    walk->at = skip_blanks(end, walk->end);
    if (walk->at == walk->end || *walk->at != ':')
        return fail(walk);
    walk->at = skip_blanks(walk->at + 1, walk->end);
    return true;
}

/* The walk is at the closing bracket: only white space may follow. */
static bool finish(struct slice_walk *walk)
{
    if (skip_blanks(walk->at + 1, walk->end) != walk->end)
        walk->failed = true;
    return false;
}

bool slice_walk_next(struct slice_walk *walk)
{
    if (walk->failed)
        return false;
    const bool first = walk->value.start == NULL;
    const char close = walk->object ? '}' : ']';
    walk->at = skip_blanks(walk->at + first, walk->end);
    if (walk->at == walk->end)
        return fail(walk);
    if (*walk->at == close)
        return finish(walk);
    if (!first && *walk->at != ',')
        return fail(walk);
    walk->at = skip_blanks(walk->at + !first, walk->end);
    if (walk->object && !take_key(walk))
        return false;
    const char *end = skip_value(walk->at, walk->end);
    if (end == NULL)
        return fail(walk);
    walk->value = (struct slice){walk->at, (size_t)(end - walk->at)};
    walk->at = end;
    return true;
}

bool slice_key_is(const struct slice_walk *walk, const char *key)
{
    return walk->key.bytes == strlen(key) && memcmp(walk->key.start, key, walk->key.bytes) == 0;
}

json_t *slice_parse(struct slice value)
{
    return json_loadb(value.start, value.bytes, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
}
