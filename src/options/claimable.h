/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of the program that sysbench does not have, such as --csv and --label. A script that was
 * written for sysbench may declare an option with the same name: then the name belongs to the
 * script, and the option of the program has its default.
 */
#ifndef CLAIMABLE_H
#define CLAIMABLE_H

#include <stdbool.h>

#include "options/options.h"

/* Returns true if `name` is an option of `set` that a script may declare as its own. */
bool option_is_claimable(const struct options *set, const char *name);

#endif
