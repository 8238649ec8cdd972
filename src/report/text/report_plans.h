/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REPORT_PLANS_H
#define REPORT_PLANS_H

#include <jansson.h>
#include <stdio.h>

/* Prints the plans of a JSON report ("plans"): the number of classes, and for each class whose plan
 * changed, or is not known, both plans or the reason. Prints nothing if `plans` is NULL. */
void report_plans(FILE *out, const json_t *plans);

#endif
