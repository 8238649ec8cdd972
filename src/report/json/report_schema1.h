/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of schema 1 as reports of schema 2: what had another name. Nothing else of the program
 * knows these names.
 */
#ifndef REPORT_SCHEMA1_H
#define REPORT_SCHEMA1_H

#include <jansson.h>

/* The schema before that of report_json.h. */
#define REPORT_SCHEMA1 1

/*
 * The same report, or one of its intervals, in the words of schema 2; a new reference. `old`, an
 * object, stays as it is and the caller's; the two may share what is the same in both.
 */
json_t *report_schema1_convert(const json_t *old);

#endif
