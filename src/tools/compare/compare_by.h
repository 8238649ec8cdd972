/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the settings of a sweep with each other (`sysrate compare DIR --by=OPTION`). */
#ifndef COMPARE_BY_H
#define COMPARE_BY_H

#include <stdio.h>

#include "tools/compare/compare.h"

/* All runs with the same values of the options. */
struct by_group {
    char *key; /* for example "threads=4" */
    struct compare_side side;
    struct comparison change; /* from the best group to this one */
    double center;            /* mean of the figure */
};

struct compare_by {
    const char *options;          /* one name, or several with commas; not copied */
    const char *figure;           /* not copied; NULL for throughput in a closed loop, else mean */
    double min_change, max_noise; /* as in struct compare */
    struct by_group *group;       /* after compare_by_judge(): the best first */
    size_t groups;
};

/* Reads the reports of a folder. Returns −1 after one logged line. The caller has to call
 * compare_by_fini() in any case. */
int compare_by_load(struct compare_by *by, const char *folder);
/* Ranks the groups and compares each with the best. The error probability holds for all groups
 * together, and for the choice of the best. Returns −1 after one logged line. */
int compare_by_judge(struct compare_by *by);
/* Returns COMPARE_DIFFERENT if a group differs from the best, otherwise COMPARE_UNKNOWN if a group
 * cannot be judged, otherwise COMPARE_SAME. */
enum compare_result compare_by_result(const struct compare_by *by);
void compare_by_print(FILE *out, const struct compare_by *by);
void compare_by_fini(struct compare_by *by);

#endif
