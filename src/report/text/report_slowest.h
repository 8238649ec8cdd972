/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_SLOWEST_H
#define REPORT_SLOWEST_H

#include <jansson.h>
#include <stdio.h>

/* Prints the three slowest requests of "slowest" in a JSON report (docs/json.md), which may be
 * NULL. Fields that are missing, as in a file that was edited, are left out. */
void report_slowest(FILE *out, const json_t *slowest);

#endif
