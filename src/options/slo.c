/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/slo.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/util.h"
#include "options/percentiles.h"
#include "options/quantity.h"

#define TIME_MAX_MS (1e3 * TIME_MAX_S)
/* the smallest limit that is written; no measured value is between 0 and this */
#define LIMIT_MIN 1e-9
#define STALENESS "staleness."

/* In the order of enum slo_kind. */
static const struct {
    const char *name; /* name up to the comparison; "p" is followed by the percentage and "<" */
    enum slo_kind kind;
} kinds[] = {
    {"p", SLO_PERCENTILE},           {"mean<", SLO_MEAN},
    {"max<", SLO_MAXIMUM},           {"errors<", SLO_ERRORS},
    {"throughput>", SLO_THROUGHPUT}, {"goodput>", SLO_GOODPUT},
};

static bool is_time(const struct slo_objective *o)
{
    return o->kind == SLO_PERCENTILE || o->kind == SLO_MEAN || o->kind == SLO_MAXIMUM;
}

const char *slo_unit(const struct slo_objective *o)
{
    static const char *const units[] = {[SLO_PERCENTILE] = "ms",        [SLO_MEAN] = "ms",
                                        [SLO_MAXIMUM] = "ms",           [SLO_ERRORS] = "%",
                                        [SLO_THROUGHPUT] = "per s",     [SLO_QUALITY] = "",
                                        [SLO_GOODPUT] = "per s"};
    return units[o->kind];
}

/* Parses "99.9<" after the "p". Returns the rest of the text, or NULL if it is malformed. p100
 * is the maximum. */
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

/* Parses an optional type such as "payment:". Returns the rest of the text, or NULL if it is
 * malformed. */
static const char *parse_type(struct slo_objective *o, const char *text)
{
    size_t length = strcspn(text, ":<>");
    if (text[length] != ':')
        return text;
    if (length == 0 || length >= sizeof(o->type))
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && strchr("_-.", text[i]) == NULL)
            return NULL;
    memcpy(o->type, text, length);
    return text + length + 1;
}

static bool begins_percentile(const char *text)
{
    return text[0] == 'p' && (isdigit((unsigned char)text[1]) || text[1] == '.');
}

bool slo_quality_name(const char *name)
{
    static const char *const taken[] = {"mean", "max", "errors", "throughput", "goodput", "tpcc"};
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
        if (strcmp(name, taken[i]) == 0)
            return false;
    return length > 0 && name[length] == '\0' && length < SLO_QUALITY_BYTES &&
           isalpha((unsigned char)name[0]) && !begins_percentile(name);
}

/* Returns true if `name` is a misspelt objective, such as "thoughput". */
static bool is_misspelt(const char *name)
{
    struct near near = near_to(name);
    near_offer(&near, "errors");
    near_offer(&near, "throughput");
    near_offer(&near, "goodput");
    return near.best != NULL;
}

/* Parses "recall>". Returns the rest of the text, or NULL if the name is not allowed. */
static const char *parse_quality(struct slo_objective *o, const char *text)
{
    const size_t length = strcspn(text, "<>");
    if (o->type[0] != '\0' || text[length] == '\0' || length >= sizeof(o->quality))
        return NULL;
    memcpy(o->quality, text, length);
    if (!slo_quality_name(o->quality) || is_misspelt(o->quality))
        return NULL;
    o->kind = SLO_QUALITY;
    o->above = text[length] == '>';
    return text + length + 1;
}

static const char *parse_kind(struct slo_objective *o, const char *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, length) != 0)
            continue;
        o->kind = kinds[i].kind;
        o->above = o->kind == SLO_THROUGHPUT || o->kind == SLO_GOODPUT;
        if (o->kind == SLO_GOODPUT && o->type[0] != '\0')
            return NULL;
        if (o->kind != SLO_PERCENTILE)
            return text + length;
        if (begins_percentile(text))
            return parse_percentile(o, text + length);
    }
    return parse_quality(o, text);
}

/* Parses the unit of a time at the end of the text and converts the limit to ms. */
static bool scale_time(struct slo_objective *o, const char *unit)
{
    double unit_ns;
    if (!quantity_read_unit(&unit, UNIT_NS, UNIT_HOUR, &unit_ns) || *unit != '\0')
        return false;
    o->limit *= unit_ns / NS_PER_MS;
    return o->limit <= TIME_MAX_MS;
}

/* Parses a count with optional suffix k, M or G, followed by an optional "/s". */
static bool parse_throughput(struct slo_objective *o, const char *text)
{
    return quantity_read_count(&text, &o->limit) && (*text == '\0' || strcmp(text, "/s") == 0);
}

/* Parses the limit and its unit. */
static bool parse_quantity(struct slo_objective *o, const char *text)
{
    if (o->kind == SLO_THROUGHPUT || o->kind == SLO_GOODPUT)
        return parse_throughput(o, text);
    if (!quantity_read_plain(&text, &o->limit))
        return false;
    if (o->kind == SLO_QUALITY)
        return *text == '\0';
    return o->kind == SLO_ERRORS ? strcmp(text, "%") == 0 && o->limit <= 100 : scale_time(o, text);
}

/* Parses the rest of the text after "<" or ">". */
static bool parse_limit(struct slo_objective *o, const char *text)
{
    o->or_equal = *text == '=';
    return parse_quantity(o, text + o->or_equal) && o->limit > 0 && o->limit < 1e12;
}

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '.';
}

/* Returns true if blanks are allowed between these two characters: in "20 ms" and "99 <", but
 * not in "2 0" or "m s". */
static bool may_part(char left, char right)
{
    return !is_in_word(left) || !is_in_word(right) ||
           (isdigit((unsigned char)left) && isalpha((unsigned char)right));
}

/* Copies `text` without its blanks. Returns false if there are blanks within a word or the text
 * is too long. */
static bool without_blanks(char *to, size_t bytes, const char *text, size_t length)
{
    size_t used = 0;
    bool parted = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ' || text[i] == '\t') {
            parted = true;
            continue;
        }
        if (used + 1 >= bytes || (parted && used > 0 && !may_part(to[used - 1], text[i])))
            return false;
        to[used++] = text[i];
        parted = false;
    }
    to[used] = '\0';
    return true;
}

/* Parses an optional "staleness.". Returns the rest of the text. */
static const char *parse_staleness(struct slo_objective *o, const char *text)
{
    o->of_staleness = strncmp(text, STALENESS, strlen(STALENESS)) == 0;
    return text + (o->of_staleness ? strlen(STALENESS) : 0);
}

static bool parse_objective(struct slo_objective *o, const char *text, size_t length)
{
    *o = (struct slo_objective){0};
    if (!without_blanks(o->text, sizeof(o->text), text, length))
        return false;
    const char *kind = parse_type(o, parse_staleness(o, o->text));
    const char *limit = kind != NULL ? parse_kind(o, kind) : NULL;
    return limit != NULL && (!o->of_staleness || (is_time(o) && o->type[0] == '\0')) &&
           parse_limit(o, limit);
}

/* Returns the number of the objective for the same figure, or slo->count if there is none. */
static unsigned find_figure(const struct slo *slo, const struct slo_objective *o)
{
    unsigned i = 0;
    while (i < slo->count &&
           (slo->objective[i].kind != o->kind || slo->objective[i].percentile != o->percentile ||
            strcmp(slo->objective[i].type, o->type) != 0 ||
            strcmp(slo->objective[i].quality, o->quality) != 0 ||
            slo->objective[i].of_staleness != o->of_staleness ||
            slo->objective[i].above != o->above))
        i++;
    return i;
}

/* The response time limits of TPC-C 5.11, clause 5.2.5.3. Delivery also has a limit on the time
 * until its deferred part is executed (2.7.2.2). */
static const char tpcc[] = "new_order:p90<=5s,payment:p90<=5s,order_status:p90<=5s,"
                           "stock_level:p90<=20s,delivery:p90<=5s,deferred.delivery:p90<=80s";

static bool add_objective(struct slo *slo, const char *text, size_t length)
{
    struct slo_objective o;
    if (slo->count == SLO_MAX || !parse_objective(&o, text, length) ||
        find_figure(slo, &o) < slo->count)
        return false;
    slo->objective[slo->count++] = o;
    return true;
}

static bool add_list(struct slo *slo, const char *text)
{
    for (size_t length;; text += length + 1) {
        length = strcspn(text, ",");
        bool is_name = length == strlen("tpcc") && strncmp(text, "tpcc", length) == 0;
        if (is_name ? !add_list(slo, tpcc) : !add_objective(slo, text, length))
            return false;
        if (text[length] == '\0')
            return true;
    }
}

static bool parse_list(struct slo *slo, const char *text)
{
    slo->count = 0;
    return add_list(slo, text);
}

/* Writes the list of objectives and adds a unit to each limit that needs one. Returns false if the
 * list is still not allowed then, or is too long. */
static bool add_units(char *to, size_t bytes, const char *text)
{
    static const char *const units[] = {"", "ms", "%"};
    struct slo slo = {0};
    size_t used = 0, length;
    for (;; text += length + 1) {
        struct slo_objective o;
        char with[SLO_TEXT_BYTES + 8];
        size_t i = 0;
        length = strcspn(text, ",");
        if (length >= SLO_TEXT_BYTES)
            return false;
        for (; i < ARRAY_SIZE(units); i++) {
            snprintf(with, sizeof(with), "%.*s%s", (int)length, text, units[i]);
            if (parse_objective(&o, with, strlen(with)))
                break;
        }
        if (i == ARRAY_SIZE(units) || !add_objective(&slo, with, strlen(with)))
            return false;
        int more = snprintf(to + used, bytes - used, "%s%s", used > 0 ? "," : "", with);
        used += (size_t)more;
        if (used >= bytes)
            return false;
        if (text[length] == '\0')
            return true;
    }
}

const char *slo_check(const char *text)
{
    static _Thread_local char advice[512];
    struct slo slo;
    char with[256];
    if (parse_list(&slo, text))
        return NULL;
    if (add_units(with, sizeof(with), text)) {
        snprintf(advice, sizeof(advice), "a limit with its unit, such as us, ms, s or %%: '%s'",
                 with);
        return advice;
    }
    return "different objectives such as p99<20ms, mean<500us, max<1s, errors<0.1%, "
           "throughput>500, TYPE:p90<5s or QUALITY>0.95, up to 16, separated by commas; or tpcc";
}

void slo_parse(struct slo *slo, const char *text)
{
    if (text == NULL || !parse_list(slo, text))
        slo->count = 0;
}

static bool is_stricter(const struct slo_objective *a, const struct slo_objective *b)
{
    if (a->limit == b->limit)
        return b->or_equal;
    return (a->limit < b->limit) != a->above;
}

bool slo_add(struct slo *slo, const struct slo *more)
{
    for (unsigned i = 0; i < more->count; i++) {
        const struct slo_objective *o = &more->objective[i];
        const unsigned k = find_figure(slo, o);
        if (k == SLO_MAX)
            return false;
        if (k == slo->count || is_stricter(o, &slo->objective[k]))
            slo->objective[k] = *o;
        slo->count += k == slo->count;
    }
    return true;
}

static void print_objective(FILE *out, const struct slo_objective *o, double slack)
{
    char percentage[32];
    double limit = o->above ? o->limit / slack : o->limit * slack;
    if (o->kind == SLO_ERRORS)
        limit = fmin(limit, 100);
    limit = fmax(limit, LIMIT_MIN);
    fprintf(out, "%s%s%s%s", o->of_staleness ? STALENESS : "", o->type, o->type[0] != '\0' ? ":" : "",
            o->kind == SLO_QUALITY ? o->quality : kinds[o->kind].name);
    if (o->kind == SLO_QUALITY)
        fputs(o->above ? ">" : "<", out);
    if (o->kind == SLO_PERCENTILE)
        fprintf(out, "%s<", percentile_name(o->percentile, percentage, sizeof(percentage)));
    fprintf(out, "%s%.9f%s", o->or_equal ? "=" : "", limit,
            is_time(o)              ? "ms"
            : o->kind == SLO_ERRORS ? "%"
                                    : "");
}

double slo_shortest_ms(const struct slo *slo)
{
    double shortest_ms = INFINITY;
    for (unsigned i = 0; i < slo->count; i++) {
        const struct slo_objective *o = &slo->objective[i];
        if (o->type[0] != '\0' || o->of_staleness)
            continue;
        if (is_time(o))
            shortest_ms = fmin(shortest_ms, o->limit);
        else if (o->kind == SLO_THROUGHPUT || o->kind == SLO_GOODPUT)
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
