/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PLAN_SHAPE_H
#define PLAN_SHAPE_H

#include <stddef.h>

/*
 * Returns the shape of a plan that a server has written as JSON (EXPLAIN with FORMAT JSON of
 * PostgreSQL, MySQL or MariaDB), in new memory: names of operations, tables and indexes in the
 * order of the plan, with brackets around the parts of an operation. Returns NULL if the text is no
 * JSON.
 */
char *plan_shape(const char *text, size_t length);

#endif
