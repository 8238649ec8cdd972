/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a run for `sysrate compare`: its figures and their noise. */
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
    bool lower_bound;   /* a lower bound: the true figure is not smaller */
    struct noise noise; /* estimated from the intervals; the variance is INFINITY if unknown */
    /* The noise cannot be estimated because too few independent requests are beyond the
     * percentile. */
    bool is_sparse;
};

struct compare_run {
    const char *path;
    struct report_document document; /* without its text; the head has only the settings */
    char *finding;    /* "VALID" or the first finding of the run; NULL if it was not judged */
    json_t *findings; /* names of all findings; NULL if the run was not judged */
    char *started;    /* time of the start; NULL if unknown */
    double elapsed_s; /* length of the run */
    /* Share of the offered requests that completed, at an arrival rate; otherwise 0. */
    double completed_share;
    struct compare_figure *figure;
    size_t figures;
    struct compare_figure *work; /* work per request, without noise: "server.log_bytes" … */
    size_t works;
    size_t intervals; /* number of measured intervals */
};

/* Reads a run from a file. `path` is not copied. Returns −1 after one logged line. The caller has
 * to call compare_run_fini() in any case. */
int compare_run_load(struct compare_run *run, const char *path);
/* The same, but a run that has completed no request is accepted: it has no figures. */
int compare_run_load_any(struct compare_run *run, const char *path);
/* Reads a run from the text of its report. Takes ownership of `text` in any case. Otherwise like
 * compare_run_load(). */
int compare_run_read(struct compare_run *run, const char *path, char *text, size_t bytes);
void compare_run_fini(struct compare_run *run);

/* Returns NULL if the run has no figure of that name. */
const struct compare_figure *compare_run_figure(const struct compare_run *run, const char *name);

/* The same for the work per request. */
const struct compare_figure *compare_run_work(const struct compare_run *run, const char *name);

/* Returns true if there are enough intervals to distinguish noise from change. */
bool compare_run_has_noise(const struct compare_run *run);

#endif
