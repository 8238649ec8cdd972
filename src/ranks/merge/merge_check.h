/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether files belong together. */
#ifndef MERGE_CHECK_H
#define MERGE_CHECK_H

#include "ranks/merge/merge_input.h"

/*
 * Sorts the inputs by rank; −1 after a logged message: they are not ranks of one run (another
 * number of ranks, seed, schedule, program, test, option; the same rank twice; starts that lie
 * further apart than the run is long).
 */
int merge_check_ranks(struct merge_input *inputs, size_t count);

/* −1 after a logged message: they are not repeats of one run, with seeds of their own: settings
 * differ, unless `unlike`; or two have the same seed and began at the same time. */
int merge_check_repeats(struct merge_input *inputs, size_t count, bool unlike);

#endif
