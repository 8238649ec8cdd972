/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/slo.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "options/percentiles.h"
#include "options/quantity.h"

#define TIME_MAX_MS (1e3 * TIME_MAX_S)

static const struct {
    const char *name; /* up to the limit; "p" is followed by the percentage and "<" */
    enum slo_kind kind;
} kinds[] = {
    {"p", SLO_PERCENTILE},           {"mean<", SLO_MEAN},
    {"max<", SLO_MAXIMUM},           {"errors<", SLO_ERRORS},
    {"throughput>", SLO_THROUGHPUT},
};

static bool is_time(const struct slo_objective *o)
{
    return o->kind != SLO_ERRORS && o->kind != SLO_THROUGHPUT;
}

const char *slo_unit(const struct slo_objective *o)
{
    return is_time(o) ? "ms" : o->kind == SLO_ERRORS ? "%" : "per s";
}

/* What follows the percentage of "p99.9<"; NULL: malformed. 100 is the maximum. */
static const char *parse_percentile(struct slo_objective *o, const char *text)
{
    char number[SLO_TEXT_BYTES];
    size_t length = strcspn(text, "<");
    if (text[length] != '<' || length >= sizeof(number))
        return NULL;
    memcpy(number, text, length);
    number[length] = '\0';
    return percentiles_parse(number, &o->percentile, 1) == 1 ? text + length + 1 : NULL;
}

static const char *parse_kind(struct slo_objective *o, const char *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, length) != 0)
            continue;
        o->kind = kinds[i].kind;
        return o->kind == SLO_PERCENTILE ? parse_percentile(o, text + length) : text + length;
    }
    return NULL;
}

/* The unit of a time, then the end. */
static bool scale_time(struct slo_objective *o, const char *unit)
{
    double unit_ns;
    if (!quantity_read_unit(&unit, UNIT_NS, UNIT_S, &unit_ns) || *unit != '\0')
        return false;
    o->limit *= unit_ns / NS_PER_MS;
    return o->limit <= TIME_MAX_MS;
}

/* A plain decimal above 0, then the unit. */
static bool parse_limit(struct slo_objective *o, const char *text)
{
    if (!quantity_read_plain(&text, &o->limit) || !(o->limit > 0 && o->limit < 1e12))
        return false;
    if (o->kind == SLO_ERRORS)
        return strcmp(text, "%") == 0 && o->limit <= 100;
    return is_time(o) ? scale_time(o, text) : strcmp(text, "") == 0 || strcmp(text, "/s") == 0;
}

static bool parse_objective(struct slo_objective *o, const char *text, size_t length)
{
    *o = (struct slo_objective){0};
    if (length >= sizeof(o->text))
        return false;
    memcpy(o->text, text, length);
    const char *limit = parse_kind(o, o->text);
    return limit != NULL && parse_limit(o, limit);
}

static bool contains(const struct slo *slo, const struct slo_objective *o)
{
    for (unsigned i = 0; i < slo->count; i++)
        if (slo->objective[i].kind == o->kind && slo->objective[i].percentile == o->percentile)
            return true;
    return false;
}

static bool parse_list(struct slo *slo, const char *text)
{
    struct slo_objective o;
    slo->count = 0;
    for (size_t length;; text += length + 1) {
        length = strcspn(text, ",");
        if (slo->count == SLO_MAX || !parse_objective(&o, text, length) || contains(slo, &o))
            return false;
        slo->objective[slo->count++] = o;
        if (text[length] == '\0')
            return true;
    }
}

const char *slo_check(const char *text)
{
    struct slo slo;
    return parse_list(&slo, text)
               ? NULL
               : "different objectives such as p99<20ms, mean<500us, max<1s, errors<0.1% or "
                 "throughput>500, up to 16, separated by commas";
}

void slo_parse(struct slo *slo, const char *text)
{
    if (text == NULL || !parse_list(slo, text))
        slo->count = 0;
}

static void print_objective(FILE *out, const struct slo_objective *o, double slack)
{
    int name = (int)strcspn(o->text, "<>") + 1;
    double limit = o->kind == SLO_THROUGHPUT ? o->limit / slack : o->limit * slack;
    if (o->kind == SLO_ERRORS)
        limit = fmin(limit, 100);
    fprintf(out, "%.*s%.9f%s", name, o->text, limit,
            is_time(o)              ? "ms"
            : o->kind == SLO_ERRORS ? "%"
                                    : "");
}

double slo_shortest_ms(const struct slo *slo)
{
    double shortest_ms = INFINITY;
    for (unsigned i = 0; i < slo->count; i++) {
        const struct slo_objective *o = &slo->objective[i];
        if (is_time(o))
            shortest_ms = fmin(shortest_ms, o->limit);
        else if (o->kind == SLO_THROUGHPUT)
            shortest_ms = fmin(shortest_ms, 1e3 / o->limit);
    }
    return shortest_ms;
}

char *slo_text(const struct slo *slo, double slack)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    for (unsigned i = 0; i < slo->count; i++) {
        fputs(i > 0 ? "," : "", out);
        print_objective(out, &slo->objective[i], slack);
    }
    fclose(out);
    return checked_alloc(text);
}
