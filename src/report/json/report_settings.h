/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run was asked to do, apart from where its results go. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Whether two runs that differ in this member of "config" ("rand_seed") do not measure the same:
 * false for what changes nothing but where results go, or what chance does.
 */
bool report_is_setting(const char *name);
/* The names for which report_is_setting() is false, as an array of strings; the caller's. */
json_t *report_settings_others(void);

/*
 * All that must be the same for two runs to measure the same: the test, the version of the program,
 * settings, the client's machine, and the settings of the server where they are known. The
 * caller's.
 */
json_t *report_settings(const json_t *head);

#endif
