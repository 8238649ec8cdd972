/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/serve/json_limits.h"

#include <stdbool.h>

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

const char *json_limits_check(const char *text, size_t bytes)
{
    struct look look = {.at = text, .end = text + bytes};
    const char *allowed = NULL;
    for (; look.at < look.end && allowed == NULL; look.at++)
        allowed = pass(&look);
    return allowed;
}
