/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Service level objectives of a run, as written in --slo. A list of
 *
 *     p99.9<20ms  mean<5ms  max<1m     response time; units ns, us, ms, s, m, h
 *     errors<0.1%                      requests that failed or were dropped
 *     goodput>500                      requests completed within --timeout; k, M, G
 *     throughput>1.5k                  completed requests per second; k, M, G
 *     recall>0.95                      mean of a quality figure of the workload; no unit
 *     staleness.p99<500ms              age of the data that replicas return (--staleness); mean, max
 *     payment:p90<5s                   a time, errors or throughput of one type of events
 *     deferred.delivery:p90<80s        the same for deferred work of one type
 *
 * "<=" and ">=" include the limit itself. Blanks are allowed between the parts. "tpcc" is short for
 * a list of objectives.
 */
#ifndef SLO_H
#define SLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLO_MAX 16
#define SLO_TEXT_BYTES 96 /* enough for one objective as slo_text() writes it */
#define SLO_TYPE_BYTES 32
#define SLO_QUALITY_BYTES 32 /* size of the longest name of a quality figure with its final 0 */

enum slo_kind { SLO_PERCENTILE, SLO_MEAN, SLO_MAXIMUM, SLO_ERRORS, SLO_THROUGHPUT, SLO_GOODPUT, SLO_QUALITY };

struct slo_objective {
    enum slo_kind kind;
    char type[SLO_TYPE_BYTES]; /* type of events that the objective is for, or "deferred.TYPE";
                                * "" means all events */
    char quality[SLO_QUALITY_BYTES]; /* name of the figure, for SLO_QUALITY */
    int64_t percentile;        /* for SLO_PERCENTILE, in millionths of a percent */
    double limit;              /* in ms, %, per second or without unit: see slo_unit() */
    bool above;                /* figures above the limit meet the objective, not those below */
    bool of_staleness;         /* a time of the staleness of replicas, not a response time */
    bool or_equal;             /* a value equal to the limit meets the objective */
    char text[SLO_TEXT_BYTES]; /* the objective as written, without blanks */
};

struct slo {
    unsigned count; /* number of objectives */
    struct slo_objective objective[SLO_MAX];
};

/* Check function for option rows: returns NULL if `text` is a list of at most SLO_MAX different
 * objectives, otherwise what is allowed. */
const char *slo_check(const char *text);
/* Parses a text that slo_check() accepts. NULL results in no objectives. */
void slo_parse(struct slo *slo, const char *text);

/* Adds the objectives of `more`; of two objectives for the same figure the stricter one is kept.
 * Returns false if there would be more than SLO_MAX. */
bool slo_add(struct slo *slo, const struct slo *more);

/*
 * Returns true if `name` can be the name of a quality figure: a lower-case letter, then up to 30
 * lower-case letters, digits and '_'; but not mean, max, errors, throughput, tpcc, or p and a digit,
 * which are objectives of their own.
 */
bool slo_quality_name(const char *name);

/* Returns the unit of the limit: "ms", "%", "per s", or "" for a quality figure. */
const char *slo_unit(const struct slo_objective *objective);

/*
 * Returns the shortest time in ms that objectives for all types allow for a request: the lowest
 * limit on times, or the time between two requests at the lowest throughput allowed. Returns
 * INFINITY if no objective limits it.
 */
double slo_shortest_ms(const struct slo *slo);

/* Returns the objectives in the form of the option's value, with limits relaxed by the factor
 * `slack` (errors to at most 100 %). The caller frees the text. */
char *slo_text(const struct slo *slo, double slack);

#endif
