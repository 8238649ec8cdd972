/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the times of --report-checkpoints. */
#ifndef CHECKPOINTS_H
#define CHECKPOINTS_H

#include <stdint.h>

#define MAX_CHECKPOINTS 1024

/* Check function for option rows: returns NULL if `text` is a list of at most MAX_CHECKPOINTS
 * different times above 0 in seconds, otherwise a static string that says what is allowed. */
const char *checkpoints_check(const char *text);

/*
 * Fills `checkpoint_ns`, which has room for MAX_CHECKPOINTS, from the members of a list (as in
 * struct option_value), in ascending order. Returns the number of times, or −1 if
 * checkpoints_check() would reject the list.
 */
int checkpoints_load(int64_t *checkpoint_ns, char *const *list);

#endif
