/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remarks of a workload on a run that has ended: figures in its own terms, bounds that its tallies
 * must keep, deviations of the run from its specification, notes, and comparisons with earlier or
 * other executions of the same work.
 */
#ifndef REMARKS_H
#define REMARKS_H

#include <stdbool.h>
#include <stdint.h>

#define REMARKS_FIGURES 16
#define REMARKS_AUDITS 24
#define REMARKS_DEVIATIONS 24
#define REMARKS_NOTES 32
#define REMARKS_NOTE_BYTES 240
#define REMARKS_COMPARISONS 65

enum audit_state {
    AUDIT_HOLDS, /* the mean is within its bounds */
    /* The mean is outside of its bounds, but chance explains this for the number of values. */
    AUDIT_BY_CHANCE,
    AUDIT_FAILS,
    AUDIT_EMPTY /* no values were counted */
};

/* A mean that must be between `low` and `high`. For a share it is a mean of zeros and ones. */
struct remark_audit {
    char text[80], tally[48];
    double low, high;
    bool share; /* true for a share, which is shown in percent */
    /* Filled in by tally_audit() (result/tally_audit.h). */
    enum audit_state state;
    uint64_t count;
    double mean, from, to; /* confidence interval of the mean */
};

struct remark_figure {
    char name[80];
    double value;
};

/* Response times of the same work in this run or an earlier one, in milliseconds. */
struct remark_times {
    double mean, p50, p95, p99, max;
};

struct remark_comparison {
    char name[48];
    uint64_t count; /* number of executions with both times */
    struct remark_times before, now;
};

struct remarks {
    unsigned figures, audits, deviations, notes, comparisons;
    char notes_title[48], comparisons_title[80];
    char note[REMARKS_NOTES][REMARKS_NOTE_BYTES];
    struct remark_comparison comparison[REMARKS_COMPARISONS];
    struct remark_figure figure[REMARKS_FIGURES];
    struct remark_audit audit[REMARKS_AUDITS];
    char deviation[REMARKS_DEVIATIONS][240];
};

#endif
