/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which settings two runs differ. */
#ifndef COMPARE_SETTINGS_H
#define COMPARE_SETTINGS_H

#include <jansson.h>

#include "tools/compare/compare_run.h"

/*
 * {name: [of a, of b], …}, all texts, "-" for none: the test, the version, the options but those
 * that only say where results go, and the settings of the server where both reports have them. The
 * caller's.
 */
json_t *compare_settings_differences(const struct compare_run *a, const struct compare_run *b);

/* −1 after one line that says in what `run` is no repeat of `first`. */
int compare_settings_check_repeat(const struct compare_run *first, const struct compare_run *run);

#endif
