/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run as `sysrate compare` sees it: figures, each with what it strays by chance. */
#ifndef COMPARE_RUN_H
#define COMPARE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "report/json/report_document.h"
#include "stats/noise.h"

struct compare_figure {
    char *name; /* "throughput", "mean", "p99.9" … */
    const char *unit;
    double value;
    bool lower_bound;   /* the true one is not below */
    struct noise noise; /* from the intervals; the variance is INFINITY where they cannot tell */
    bool is_sparse;     /* and that is for a percentile with too few independent requests beyond */
};

struct compare_run {
    const char *path;
    struct report_document document;
    struct compare_figure *figure;
    size_t figures;
    size_t intervals; /* measured ones */
};

/* `path` is kept. −1 after one line that says what is wrong; compare_run_fini() is due in any
 * case. */
int compare_run_load(struct compare_run *run, const char *path);
/* The same of a report that is there already; takes `text` over, whatever the result. */
int compare_run_read(struct compare_run *run, const char *path, char *text, size_t bytes);
void compare_run_fini(struct compare_run *run);

/* NULL: the run has none of that name. */
const struct compare_figure *compare_run_figure(const struct compare_run *run, const char *name);

/* Whether there are enough intervals to tell noise from change. */
bool compare_run_has_noise(const struct compare_run *run);

#endif
