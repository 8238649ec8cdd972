/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/option_value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "options/quantity.h"

/* Names. */

bool option_name_is(const char *a, const char *b)
{
    for (;; a++, b++) {
        char x = *a == '_' ? '-' : *a;
        char y = *b == '_' ? '-' : *b;
        if (x != y)
            return false;
        if (x == '\0')
            return true;
    }
}

bool option_is_secret(const char *name)
{
    static const char password[] = "password", lifetime[] = "lifetime";
    const char *found = strcasestr(name, password);
    if (found == NULL)
        return false;
    const char *after = found + sizeof(password) - 1;
    const bool is_lifetime = (*after == '-' || *after == '_') &&
                             strncasecmp(after + 1, lifetime, sizeof(lifetime) - 1) == 0 &&
                             strchr("=", after[sizeof(lifetime)]) != NULL;
    return !is_lifetime; /* --password-lifetime is a number of seconds */
}

/* Bounds. */

struct bounds {
    double min, max;
};

static struct bounds bounds_of(const struct option_spec *row)
{
    bool given = row->min != 0 || row->max != 0;
    struct bounds b = {given ? row->min : -INFINITY, given ? row->max : INFINITY};
    if (row->type == OPTION_SIZE || row->type == OPTION_SECONDS)
        b.min = fmax(b.min, 0);
    if (row->type == OPTION_SECONDS)
        b.max = fmin(b.max, TIME_MAX_S);
    return b;
}

/* Describing what is allowed. */

/* Writes a bound. For sizes, 65536 is written as "64K". */
static void format_bound(enum option_type type, double bound, char *buf, size_t bytes)
{
    static const char suffixes[] = "KMGT";
    size_t power = 0;
    while (type == OPTION_SIZE && bound >= 1024 && fmod(bound, 1024) == 0 && suffixes[power]) {
        bound /= 1024;
        power++;
    }
    snprintf(buf, bytes, "%.15g%.*s", bound, power > 0, power > 0 ? &suffixes[power - 1] : "");
}

/* messages mention the suffixes k, M and G if the bound is at least this large */
#define SUFFIX_FROM 1e3

static const char *number_noun(enum option_type type, double max)
{
    switch (type) {
    case OPTION_INT:
        return "a whole number (also 1k, 1M, 1G)";
    case OPTION_SIZE:
        return "a whole number with an optional suffix K, M, G or T";
    case OPTION_SECONDS:
        return "seconds (also 1ms, 1m, 1h)";
    default:
        return max < SUFFIX_FROM ? "a number" : "a number (also 1k, 1M, 1G)";
    }
}

static void describe_number(const struct option_spec *row, char *buf, size_t bytes)
{
    struct bounds b = bounds_of(row);
    const char *noun = number_noun(row->type, b.max);
    const char *off = row->off ? "off, or " : "";
    char min[32], max[32];
    format_bound(row->type, b.min, min, sizeof(min));
    format_bound(row->type, b.max, max, sizeof(max));
    if (isinf(b.min) && isinf(b.max))
        snprintf(buf, bytes, "%s%s", off, noun);
    else if (isinf(b.max))
        snprintf(buf, bytes, "%s%s, at least %s", off, noun, min);
    else if (isinf(b.min))
        snprintf(buf, bytes, "%s%s, at most %s", off, noun, max);
    else
        snprintf(buf, bytes, "%s%s from %s to %s", off, noun, min, max);
}

/* Writes `intro` and the names of the choices: "one of a, b, c". */
static void describe_choices(const char *intro, const struct option_choice *choices, char *buf,
                             size_t bytes)
{
    size_t used = (size_t)snprintf(buf, bytes, "%s", intro);
    for (const struct option_choice *c = choices; c->name != NULL && used < bytes; c++)
        used +=
            (size_t)snprintf(buf + used, bytes - used, "%s%s", c == choices ? "" : ", ", c->name);
}

static void describe(const struct option_spec *row, char *buf, size_t bytes)
{
    switch (row->type) {
    case OPTION_BOOL:
        snprintf(buf, bytes, "on or off");
        break;
    case OPTION_LIST:
        if (row->choices != NULL)
            describe_choices("a comma-separated list of ", row->choices, buf, bytes);
        else
            snprintf(buf, bytes, "a comma-separated list without empty members");
        break;
    case OPTION_FILE:
        snprintf(buf, bytes, "the name of a file");
        break;
    case OPTION_STRING:
        if (row->choices != NULL)
            describe_choices("one of ", row->choices, buf, bytes);
        else
            snprintf(buf, bytes, "a text");
        break;
    default:
        describe_number(row, buf, bytes);
    }
}

/* Parsing numbers. strtoll() accepts more than options allow, such as spaces and '+'. */

static bool starts_number(const char *text)
{
    return isdigit((unsigned char)text[text[0] == '-']) != 0;
}

static int parse_integer(const char *text, int64_t *number, const char **end)
{
    char *rest;
    if (!starts_number(text))
        return -1;
    errno = 0;
    *number = strtoll(text, &rest, 10);
    *end = rest;
    return errno == 0 ? 0 : -1;
}

/* all whole numbers up to this are exact in a double */
#define EXACT_MAX 0x1p53

/* Parses a whole number with a suffix, such as 1.5k for 1500. */
static int parse_count(const char *text, int64_t *number)
{
    double value;
    size_t length = strlen(text);
    if (length == 0 || strchr("kMG", text[length - 1]) == NULL ||
        !quantity_parse_count(text, &value) || fabs(value) > EXACT_MAX || value != floor(value))
        return -1;
    *number = (int64_t)value;
    return 0;
}

static int parse_whole(const char *text, int64_t *number)
{
    const char *end;
    if (parse_integer(text, number, &end) == 0 && *end == '\0')
        return 0;
    return parse_count(text, number);
}

static int parse_size(const char *text, int64_t *number)
{
    static const char suffixes[] = "KMGT";
    const char *end;
    if (parse_integer(text, number, &end) != 0 || *number < 0)
        return -1;
    if (*end == '\0')
        return 0;
    const char *suffix = strchr(suffixes, toupper((unsigned char)*end));
    if (suffix == NULL || end[1] != '\0')
        return -1;
    int shift = 10 * (int)(suffix - suffixes + 1);
    if (*number > INT64_MAX >> shift)
        return -1;
    *number <<= shift;
    return 0;
}

static int parse_seconds(const char *text, struct option_value *value)
{
    if (!quantity_parse(text, &value->number) && !quantity_parse_time(text, &value->number))
        return -1;
    if (fabs(value->number) > TIME_MAX_S)
        return -1;
    value->integer = seconds_to_ns(value->number);
    return value->integer == 0 && value->number != 0 ? -1 : 0;
}

static int parse_number(enum option_type type, const char *text, struct option_value *value)
{
    switch (type) {
    case OPTION_SECONDS:
        return parse_seconds(text, value);
    case OPTION_DOUBLE:
        return quantity_parse_count(text, &value->number) ? 0 : -1;
    case OPTION_SIZE:
        if (parse_size(text, &value->integer) != 0)
            return -1;
        break;
    default:
        if (parse_whole(text, &value->integer) != 0)
            return -1;
    }
    value->number = (double)value->integer;
    return 0;
}

static int parse_bounded(const struct option_spec *row, const char *text,
                         struct option_value *value)
{
    if (row->off && strcmp(text, "off") == 0) {
        value->off = true;
        value->integer = -1;
        value->number = -1;
        return 0;
    }
    struct bounds b = bounds_of(row);
    if (parse_number(row->type, text, value) != 0)
        return -1;
    value->is_number = true;
    return value->number >= b.min && value->number <= b.max ? 0 : -1;
}

/* Parsing words and lists. */

static int parse_bool(const char *text, struct option_value *value)
{
    static const char *const words[][2] = {
        {"off", "on"}, {"false", "true"}, {"no", "yes"}, {"0", "1"}};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        for (int on = 0; on <= 1; on++)
            if (strcmp(text, words[i][on]) == 0) {
                value->integer = on;
                value->number = on;
                return 0;
            }
    return -1;
}

/* Returns true if `word` is one of the choices, or if `choices` is NULL. */
static bool is_choice(const struct option_choice *choices, const char *word)
{
    const struct option_choice *c = choices;
    while (c != NULL && c->name != NULL && strcmp(c->name, word) != 0)
        c++;
    return c == NULL || c->name != NULL;
}

/* Splits `text` at commas. The result is one allocation: the pointers, then the characters they
 * point to. */
static char **split_list(const char *text)
{
    size_t members = 1;
    for (const char *c = text; *c != '\0'; c++)
        members += *c == ',';
    size_t pointer_bytes = (members + 1) * sizeof(char *);
    char **list = xcalloc(1, pointer_bytes + strlen(text) + 1);
    char *rest = strcpy((char *)list + pointer_bytes, text);
    for (size_t i = 0; i < members; i++)
        list[i] = strsep(&rest, ",");
    return list;
}

void option_value_append(struct option_value *value, const char *text)
{
    size_t members = 0, bytes = strlen(text) + 1;
    for (; value->list != NULL && value->list[members] != NULL; members++)
        bytes += strlen(value->list[members]) + 1;
    char **list = xcalloc(1, (members + 2) * sizeof(char *) + bytes);
    char *to = (char *)(list + members + 2);
    for (size_t i = 0; i <= members; i++) {
        list[i] = to;
        to = stpcpy(to, i < members ? value->list[i] : text) + 1;
    }
    free(value->list);
    value->list = list;
}

static int parse_list(const struct option_spec *row, const char *text, struct option_value *value)
{
    if (text[0] == '\0')
        return 0;
    char **list = split_list(text);
    for (char **member = list; *member != NULL; member++)
        if ((*member)[0] == '\0' || !is_choice(row->choices, *member)) {
            free(list);
            return -1;
        }
    value->list = list;
    return 0;
}

static int parse_type(const struct option_spec *row, const char *text, struct option_value *value)
{
    switch (row->type) {
    case OPTION_BOOL:
        return parse_bool(text, value);
    case OPTION_STRING:
        value->is_number = row->numeric && quantity_parse_count(text, &value->number);
        return is_choice(row->choices, text) ? 0 : -1;
    case OPTION_FILE:
        return 0;
    case OPTION_LIST:
        return parse_list(row, text, value);
    default:
        return parse_bounded(row, text, value);
    }
}

int option_parse(const struct option_spec *row, const char *text, struct option_value *value,
                 char *allowed, size_t allowed_bytes)
{
    struct option_value parsed = {0};
    if (text == NULL)
        text = row->type == OPTION_BOOL ? "on" : row->alone;
    if (text == NULL || parse_type(row, text, &parsed) != 0) {
        describe(row, allowed, allowed_bytes);
        return -1;
    }
    const char *objection = row->check != NULL ? row->check(text) : NULL;
    if (objection != NULL) {
        snprintf(allowed, allowed_bytes, "%s", objection);
        option_value_fini(&parsed);
        return -1;
    }
    parsed.text = xstrdup(text);
    *value = parsed;
    return 0;
}

void option_value_fini(struct option_value *value)
{
    free(value->text);
    free(value->list);
    *value = (struct option_value){0};
}
