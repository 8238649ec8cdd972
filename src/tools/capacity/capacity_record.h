/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search as values: what was asked for, all probes, and what came out. From a search that goes
 * on, or from its capacity.json, for those who write it or show it again.
 */
#ifndef CAPACITY_RECORD_H
#define CAPACITY_RECORD_H

#include <jansson.h>
#include <stdio.h>

#include "result/slo_judge.h"
#include "tools/capacity/capacity_search.h"

/* A probe that was carried out. */
struct capacity_run {
    struct capacity_probe probe;
    const char *end; /* of the report: "time", "slo" when it was lost early … */
    double seconds;  /* measured */
    double completed_per_s;
    struct slo_judgement judgement;
};

struct capacity_record {
    const char *test;
    const char *cut_short; /* why the search has not come to its end; NULL: it has */
    const struct slo *slo;
    double min_rate, max_rate;
    double probe_s; /* measured part of a probe */
    const struct capacity_run *run;
    size_t runs;
    struct capacity_result result;
    double slope; /* of the fitted line: margin per ln rate; where a capacity was found */
};

/* One that was read; texts are those of `all`. */
struct capacity_kept {
    struct capacity_record record;
    json_t *all;
    struct slo slo;
    struct capacity_run *run;
};

/*
 * Reads a capacity.json of so many bytes. −1 after a logged message with `name`: it is none, or
 * something in it is not as sysrate writes it. capacity_kept_fini() is due in any case. Stays where
 * it is.
 */
int capacity_kept_read(struct capacity_kept *kept, const char *name, const char *text,
                       size_t bytes);
void capacity_kept_fini(struct capacity_kept *kept);

/* capacity_report.c: for people, as text. */

/* "probe 1: bracket  10.00/s  met  p99<20ms: 4.84 ms", without an end of the line. */
void capacity_print_probe(FILE *out, const struct capacity_run *run, size_t number);
/* "Capacity: 1711.9 requests/s, …", and what makes it doubtful. */
void capacity_print_result(FILE *out, const struct capacity_record *record);
/* All of a search that is over; `name` says which. */
void capacity_print_again(FILE *out, const struct capacity_record *record, const char *name);

/* capacity_page.c: with charts. */

void capacity_print_page(const struct capacity_record *record, FILE *out);
/* What such a page shows below its title, and the style sheet that this needs beside colours. */
void capacity_print_charts(const struct capacity_record *record, FILE *out);
extern const char capacity_chart_style[];

#endif
