/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload says of a run that has ended: figures in its own terms, what its tallies must
 * come to, and what the run is not.
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
    AUDIT_HOLDS,     /* within its bounds */
    AUDIT_BY_CHANCE, /* outside, by no more than chance may do to so few values */
    AUDIT_FAILS,
    AUDIT_EMPTY /* nothing was counted */
};

/* One mean (share: of 0 and 1) that must lie from `low` to `high`. */
struct remark_audit {
    char text[80], tally[48];
    double low, high;
    bool share; /* shown in percent */
    /* Filled in by tally_audit() (result/tally_audit.h). */
    enum audit_state state;
    uint64_t count;
    double mean, from, to; /* the interval that chance leaves */
};

struct remark_figure {
    char name[80];
    double value;
};

/* The same work elsewhere, or before, and in this run; milliseconds. */
struct remark_times {
    double mean, p50, p95, p99, max;
};

struct remark_comparison {
    char name[48];
    uint64_t count; /* that have both */
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
