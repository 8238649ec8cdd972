/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks whether the files given to `sysrate merge` belong together. */
#ifndef MERGE_CHECK_H
#define MERGE_CHECK_H

#include "ranks/merge/merge_input.h"

/*
 * Sorts the inputs by rank. Returns −1 after logging a message if they are not ranks of one run:
 * their number of ranks, seed, schedule, program version, test or an option differs, a rank occurs
 * twice, or their starts are further apart than the length of the run plus one minute.
 */
int merge_check_ranks(struct merge_input *inputs, size_t count);

/*
 * Returns −1 after logging a message if the inputs cannot be added up as repeats of one run: their
 * settings differ (allowed if `unlike` is true), or two of them have the same seed and start time.
 */
int merge_check_repeats(struct merge_input *inputs, size_t count, bool unlike);

#endif
