/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the settings in which two runs differ. */
#ifndef COMPARE_SETTINGS_H
#define COMPARE_SETTINGS_H

#include <jansson.h>

#include "tools/compare/compare_run.h"

/*
 * Returns an object {name: [value of a, value of b], …}; all values are texts, "-" if missing.
 * Compares the test, the version, the options except those that only set where results are written,
 * and the settings of the server if both reports have them. The caller owns the object.
 */
json_t *compare_settings_differences(const struct compare_run *a, const struct compare_run *b);

/* Returns −1 after one logged line if `run` is not a repeat of `first`; the line names the
 * difference. */
int compare_settings_check_repeat(const struct compare_run *first, const struct compare_run *run);

#endif
