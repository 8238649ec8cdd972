/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `sysrate compare` prints. */
#ifndef COMPARE_PRINT_H
#define COMPARE_PRINT_H

#include <stdio.h>

#include "tools/compare/compare.h"

/* "same", "different", "unknown" */
const char *compare_result_name(enum compare_result result);

/* Both sides, the table of figures, the settings that differ, and how noise was told. */
void compare_print(FILE *out, const struct compare *c);

/* A line on a condition, and what became of it. */
void compare_print_condition(FILE *out, const struct compare_condition *condition,
                             const struct comparison *c, enum compare_result result);

/* The last line. */
void compare_print_verdict(FILE *out, const struct compare *c, enum compare_result result);

/* All of it as JSON; docs/service.md has the fields. `reason`: why it cannot be judged, or NULL. */
void compare_print_json(FILE *out, const struct compare *c, enum compare_result result,
                        const char *reason);

#endif
