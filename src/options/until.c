/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/until.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "options/percentiles.h"
#include "options/quantity.h"

#define ALLOWED                                                                                    \
    "up to 8 different figures with a precision from 0.01 to 100 %, such as "                      \
    "p99±3%,mean±2%,throughput±1%; +- may be written for ±"
/* In percent. */
#define PRECISION_LEAST 0.01
#define PRECISION_MOST 100

static bool parse_name(struct until_goal *goal, const char *name)
{
    goal->kind = strcmp(name, "mean") == 0         ? UNTIL_MEAN
                 : strcmp(name, "throughput") == 0 ? UNTIL_THROUGHPUT
                                                   : UNTIL_PERCENTILE;
    if (goal->kind != UNTIL_PERCENTILE)
        return true;
    goal->percentile = percentile_of_label(name);
    return goal->percentile > 0 && goal->percentile < 100 * PERCENT;
}

/* Advances *text past the name of the figure and the sign after it. */
static bool parse_figure(struct until_goal *goal, const char **text)
{
    static const char *const signs[] = {"±", "+-"};
    char name[UNTIL_NAME_BYTES];
    const size_t length = strcspn(*text, "\xc2+,");
    if (length == 0 || length >= sizeof(name))
        return false;
    memcpy(name, *text, length);
    name[length] = '\0';
    *text += length;
    for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
        if (strncmp(*text, signs[i], strlen(signs[i])) == 0) {
            *text += strlen(signs[i]);
            return parse_name(goal, name);
        }
    return false;
}

static bool is_repeated(const struct until *until, const struct until_goal *goal)
{
    for (unsigned i = 0; i < until->count; i++)
        if (until->goal[i].kind == goal->kind && until->goal[i].percentile == goal->percentile)
            return true;
    return false;
}

static bool parse_goal(struct until *until, const char **text)
{
    struct until_goal goal = {0};
    double percent;
    if (until->count == UNTIL_MAX || !parse_figure(&goal, text) ||
        !quantity_read_plain(text, &percent) || **text != '%' || is_repeated(until, &goal))
        return false;
    ++*text;
    goal.precision = percent / 100;
    until->goal[until->count++] = goal;
    return percent >= PRECISION_LEAST && percent <= PRECISION_MOST;
}

static bool parse(struct until *until, const char *text)
{
    *until = (struct until){0};
    while (parse_goal(until, &text)) {
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

const char *until_check(const char *text)
{
    struct until until;
    return parse(&until, text) ? NULL : ALLOWED;
}

void until_parse(struct until *until, const char *text)
{
    *until = (struct until){0};
    if (text != NULL)
        parse(until, text);
}

const char *until_name(const struct until_goal *goal, char *name)
{
    if (goal->kind == UNTIL_PERCENTILE)
        return percentile_label(goal->percentile, name, UNTIL_NAME_BYTES);
    snprintf(name, UNTIL_NAME_BYTES, "%s", goal->kind == UNTIL_MEAN ? "mean" : "throughput");
    return name;
}
