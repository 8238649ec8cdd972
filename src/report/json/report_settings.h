/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a run that its results depend on. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Returns true if `name` is a member of "config" that results depend on. Returns false for members
 * that only say where results go, or that only change random numbers ("rand_seed").
 */
bool report_is_setting(const char *name);
/* Returns a new array of the names for which report_is_setting() is false. */
json_t *report_settings_others(void);

/*
 * Returns a new object with everything that must be equal for two runs to measure the same: the
 * test, the version of the program, the settings, the client's machine, and the settings of the
 * server if they are known.
 */
json_t *report_settings(const json_t *head);

#endif
