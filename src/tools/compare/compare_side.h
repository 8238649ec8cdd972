/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One side of a comparison: its runs and their order. */
#ifndef COMPARE_SIDE_H
#define COMPARE_SIDE_H

#include "tools/compare/compare_run.h"

/* One run, or several runs with the same settings. */
struct compare_side {
    const char *path; /* path of the file or the folder */
    struct compare_run *run;
    size_t runs;
};

/* Reads a file, or all *.json in a folder. Returns −1 after one logged line. The caller has to call
 * compare_side_fini() in any case. */
int compare_side_load(struct compare_side *side, const char *path);
/* Adds a report with the text `text` to a side. `name` becomes the path of the side. Takes
 * ownership of `text` in any case. Fails like compare_side_load(). */
int compare_side_add(struct compare_side *side, const char *name, char *text, size_t bytes);
/* Adds a run that was read, and takes ownership of it in any case. Fails like compare_side_load().
 */
int compare_side_take(struct compare_side *side, const struct compare_run *run);
void compare_side_fini(struct compare_side *side);
/* Puts the runs into the order of their start, if all have it. */
void compare_side_order(struct compare_side *side);
/* Returns true if the ordered runs were made in rounds: one run of each side before the next run of
 * either. */
bool compare_side_rounds(const struct compare_side *a, const struct compare_side *b);

#endif
