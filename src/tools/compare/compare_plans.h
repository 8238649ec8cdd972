/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names the statement classes that were executed by another plan on side B than on side A
 * (--explain). */
#ifndef COMPARE_PLANS_H
#define COMPARE_PLANS_H

#include <jansson.h>
#include <stdio.h>

#include "tools/compare/compare.h"

/*
 * Returns an array with an object for each class whose plan at the end of the run differs between
 * the sides: `class`, and `a` and `b`, the shapes of the plans. If a side has several runs, its
 * last run with a plan of the class counts. Classes that only one side has are left out. The caller
 * owns the array.
 */
json_t *compare_plans(const struct compare *c);

/* Prints these classes with both plans; nothing if there are none. */
void compare_plans_print(FILE *out, const struct compare *c);

#endif
