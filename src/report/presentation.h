/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the workload of a run decides about the text reports: headings, and figures of its own. */
#ifndef PRESENTATION_H
#define PRESENTATION_H

#include <stdio.h>

#include "result/summary.h"

struct presentation {
    /*
     * The heading of the statement counters ("SQL statistics") for workloads that count statements;
     * transactions and queries are then reported. NULL: the workload counts events only.
     */
    const char *statements;
    const char *targets; /* the heading of the table of targets, such as "Hosts"; NULL: no table */
    /*
     * Figures of the workload's own; NULL: none. interval_figures() writes the rest of an
     * interval's first line in place of ours, without the newline; summary_figures() a block before
     * that of the throughput.
     */
    void (*interval_figures)(void *arg, FILE *out, const struct interval *interval);
    void (*summary_figures)(void *arg, FILE *out, const struct summary *summary);
    /*
     * The first lines of the section "Throughput"; NULL: none. sysbench 1.1 has no others where a
     * test has these, and nothing behind the latency; sysbench 1.0 has no such section.
     */
    void (*throughput_figures)(void *arg, FILE *out, const struct summary *summary);
    void *arg;
};

#endif
