/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/json_limits.h"

#include <stdbool.h>

#include "report/json/json_slice.h"

struct look {
    const char *at, *end;
    size_t depth, values;
    struct {
        bool object;
        size_t members;
    } level[JSON_LIMIT_DEPTH];
};

static const char *pass_string(struct look *l)
{
    const char *start = l->at;
    for (l->at++; l->at < l->end && *l->at != '"'; l->at++)
        l->at += *l->at == '\\';
    return l->at - start > JSON_LIMIT_STRING ? "strings of at most 16384 bytes" : NULL;
}

static const char *open_bracket(struct look *l, bool object)
{
    if (l->depth == JSON_LIMIT_DEPTH)
        return "at most 32 levels of brackets";
    l->level[l->depth].object = object;
    l->level[l->depth++].members = 0;
    return NULL;
}

/* Counts the value after a comma. The first value of a bracket has no comma before it. */
static const char *pass_comma(struct look *l)
{
    if (++l->values > JSON_LIMIT_VALUES)
        return "at most 2000000 values";
    if (l->depth > 0 && l->level[l->depth - 1].object &&
        ++l->level[l->depth - 1].members >= JSON_LIMIT_MEMBERS)
        return "at most 2000 members of an object";
    return NULL;
}

static const char *pass(struct look *l)
{
    switch (*l->at) {
    case '"':
        return pass_string(l);
    case '{':
    case '[':
        l->values++;
        return open_bracket(l, *l->at == '{');
    case '}':
    case ']':
        l->depth -= l->depth > 0;
        return NULL;
    case ',':
        return pass_comma(l);
    default:
        return NULL;
    }
}

/* Estimates the memory that the parsed value needs: about 240 bytes for an object, 112 for an
 * array, 32 for another value, 48 for a string or a key in addition to its length. */
static size_t memory_of(struct slice value)
{
    size_t bytes = 32;
    for (const char *at = value.start, *end = at + value.bytes; at < end; at++) {
        bytes += *at == '{' ? 240 : *at == '[' ? 112 : *at == ',' ? 32 : 0;
        if (*at != '"')
            continue;
        const char *start = at;
        for (at++; at < end && *at != '"'; at++)
            at += *at == '\\';
        bytes += 48 + (size_t)(at - start);
    }
    return bytes;
}

static bool has_small_intervals(struct slice list)
{
    struct slice_walk walk = slice_walk_begin(list);
    while (slice_walk_next(&walk))
        if (memory_of(walk.value) > JSON_LIMIT_INTERVAL_BYTES)
            return false;
    return true;
}

const char *json_limits_check(const char *text, size_t bytes)
{
    struct look look = {.at = text, .end = text + bytes};
    const char *allowed = NULL;
    for (; look.at < look.end && allowed == NULL; look.at++)
        allowed = pass(&look);
    return allowed;
}

const char *json_limits_check_report(const char *text, size_t bytes, size_t bytes_max)
{
    struct slice_walk walk = slice_walk_begin((struct slice){text, bytes});
    size_t settings = 0, summary = 0, checkpoints = 0;
    const char *allowed = json_limits_check(text, bytes);
    while (allowed == NULL && slice_walk_next(&walk)) {
        const bool intervals = slice_key_is(&walk, "intervals");
        if (intervals && !has_small_intervals(walk.value))
            return "intervals that need at most 4 MiB of memory each";
        const bool data = slice_key_is(&walk, "summary") || slice_key_is(&walk, "spool");
        if (!intervals)
            *(slice_key_is(&walk, "checkpoints") ? &checkpoints
              : data                             ? &summary
                                                 : &settings) += memory_of(walk.value);
    }
    if (settings > JSON_LIMIT_SETTINGS_BYTES)
        return "at most 4 MiB of memory for all but summary, checkpoints and intervals";
    if (summary > JSON_LIMIT_SUMMARY * bytes_max)
        return "a summary that needs at most 5 times the memory of the largest report";
    if (checkpoints > JSON_LIMIT_CHECKPOINTS * bytes_max)
        return "checkpoints that need at most 16 times the memory of the largest report";
    return allowed;
}
