/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The moments that --report-checkpoints names. */
#ifndef CHECKPOINTS_H
#define CHECKPOINTS_H

#include <stdint.h>

#define MAX_CHECKPOINTS 1024

/* The check of an option's row: NULL when `text` is a list of different times above 0 in seconds,
 * at most MAX_CHECKPOINTS, else what is allowed. */
const char *checkpoints_check(const char *text);

/*
 * Fills `checkpoint_ns`, which has room for MAX_CHECKPOINTS, from the members of such a list (as in
 * struct option_value), ascending. Returns how many; −1: the list is none that checkpoints_check()
 * lets pass.
 */
int checkpoints_load(int64_t *checkpoint_ns, char *const *list);

#endif
