/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search as values: its options, all probes and the result. The values come from a running search
 * or from its capacity.json; they are used to write or print the search.
 */
#ifndef CAPACITY_RECORD_H
#define CAPACITY_RECORD_H

#include <jansson.h>
#include <stdio.h>

#include "result/slo_judge.h"
#include "tools/capacity/capacity_search.h"

/* A probe that was made. */
struct capacity_run {
    struct capacity_probe probe;
    const char *end; /* the "end" in the report: "time"; "slo" if the probe was aborted early; … */
    double seconds;  /* measured seconds */
    double completed_per_s;
    struct slo_judgement judgement;
    double speed; /* of the replay; 0 if the test is not a replay */
};

/* The log of a search over the speed of its replay. */
struct capacity_load {
    const char *log;
    double statements;
    double rate; /* mean rate at speed 1, per second; 0 if the test is not a replay */
};

struct capacity_record {
    const char *test;
    const char *cut_short; /* why the search was cut short; NULL if it has completed */
    const struct slo *slo;
    double min_rate, max_rate;
    double probe_s; /* measured part of a probe, in seconds */
    const struct capacity_run *run;
    size_t runs;
    struct capacity_result result;
    struct capacity_load load;
    /* Slope of the fitted line, in margin per ln rate; only if a capacity was found. */
    double slope;
};

/* A search that was read from a file; its texts belong to `all`. */
struct capacity_kept {
    struct capacity_record record;
    json_t *all;
    struct slo slo;
    struct capacity_run *run;
};

/*
 * Reads a capacity.json of `bytes` bytes. Returns −1 after a logged message, which contains `name`,
 * if the text is not in the format of sysrate. The caller has to call capacity_kept_fini() in any
 * case, and must not move *kept.
 */
int capacity_kept_read(struct capacity_kept *kept, const char *name, const char *text,
                       size_t bytes);
void capacity_kept_fini(struct capacity_kept *kept);

/* Returns true if the probe was not ended early. */
bool capacity_has_completed(const struct capacity_run *run);

/* capacity_report.c: prints a search as text. */

/* Prints a line such as "probe 1: bracket  10.00/s  met  p99<20ms: 4.84 ms", without a line end. */
void capacity_print_probe(FILE *out, const struct capacity_run *run, size_t number);
/* Prints "Capacity: 1711.9 requests/s, …" and the reasons for which it may be wrong. */
void capacity_print_result(FILE *out, const struct capacity_record *record);
/* Prints a completed search; `name` identifies it. */
void capacity_print_again(FILE *out, const struct capacity_record *record, const char *name);

/* capacity_page.c: prints a page with charts. */

void capacity_print_page(const struct capacity_record *record, FILE *out);
/* Prints the contents of such a page below its title. capacity_chart_style is the style sheet for
 * it, without colours. */
void capacity_print_charts(const struct capacity_record *record, FILE *out);
extern const char capacity_chart_style[];

#endif
