/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the results of `sysrate compare`. */
#ifndef COMPARE_PRINT_H
#define COMPARE_PRINT_H

#include <stdio.h>

#include "tools/compare/compare.h"

/* Returns "same", "different" or "unknown". */
const char *compare_result_name(enum compare_result result);

/* Writes the interval of the change, for example "-1.20 to +4.80 %". Returns `text`. */
const char *compare_interval_text(const struct comparison *c, char *text, size_t bytes);
/* Prints the verdicts of the runs, after commas, with their numbers if there are several runs. */
void compare_print_verdicts(FILE *out, const struct compare_side *side);

/* Prints both sides, the table of figures, the settings that differ, and how the noise was
 * determined. */
void compare_print(FILE *out, const struct compare *c);

/* Prints a line with a condition and its result. */
void compare_print_condition(FILE *out, const struct compare_condition *condition,
                             const struct comparison *c, enum compare_result result);

/* Prints the last line. */
void compare_print_verdict(FILE *out, const struct compare *c, enum compare_result result);

/* Prints everything as JSON; docs/service.md describes the fields. `reason` is why the runs cannot
 * be judged, or NULL. */
void compare_print_json(FILE *out, const struct compare *c, enum compare_result result,
                        const char *reason);

#endif
