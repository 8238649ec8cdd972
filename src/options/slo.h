/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Service level objectives: what a run must keep, as --slo states it. A list of
 *
 *     p99.9<20ms  mean<5ms  max<1m     response time; units ns, us, ms, s, m, h
 *     errors<0.1%                      requests that failed or were dropped
 *     throughput>1.5k                  completed per second; k, M, G
 *     payment:p90<5s                   any of them for the events of one type
 *     deferred.delivery:p90<80s        … or for deferred work of one type
 *
 * "<=" and ">=" take the limit itself, too. Blanks may stand between the parts. "tpcc" stands for a
 * whole list.
 */
#ifndef SLO_H
#define SLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLO_MAX 16
#define SLO_TEXT_BYTES 96 /* what slo_text() writes of one fits */
#define SLO_TYPE_BYTES 32

enum slo_kind { SLO_PERCENTILE, SLO_MEAN, SLO_MAXIMUM, SLO_ERRORS, SLO_THROUGHPUT };

struct slo_objective {
    enum slo_kind kind;
    char type[SLO_TYPE_BYTES]; /* of the events that it is for, or "deferred.TYPE"; "": all */
    int64_t percentile;        /* SLO_PERCENTILE: in millionths of a percent */
    double limit;              /* ms, % or per second: see slo_unit() */
    bool or_equal;             /* the limit is met, too */
    char text[SLO_TEXT_BYTES]; /* as written, without blanks */
};

struct slo {
    unsigned count; /* 0: none asked for */
    struct slo_objective objective[SLO_MAX];
};

/* NULL when `text` is such a list, at most SLO_MAX long and none twice; else what is allowed. */
const char *slo_check(const char *text);
/* Of a text that slo_check() finds good; NULL: none. */
void slo_parse(struct slo *slo, const char *text);

/* "ms", "%" or "per s". */
const char *slo_unit(const struct slo_objective *objective);

/*
 * The shortest time that an objective leaves to a request, in ms: limits on times, and what lies
 * between two requests at the lowest throughput, where they are for all types. INFINITY: none
 * does.
 */
double slo_shortest_ms(const struct slo *slo);

/*
 * The objectives as an option's value, with limits that are `slack` times as far away (errors: up
 * to 100 %). The caller frees it.
 */
char *slo_text(const struct slo *slo, double slack);

#endif
