/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that the values in a report have the types that pages and tools need. Reports of sysrate
 * always have them; reports that were written or changed by other programs may not. Members that
 * no page needs, and numbers, are not checked: a page shows "–" for a figure that is not a number.
 */
#ifndef REPORT_SHAPE_H
#define REPORT_SHAPE_H

#include "report/json/report_document.h"

/* Returns 0, or −1 after a logged message with `name` that contains the path of the first wrong
 * value, for example "summary/audit/verdict/findings/0/name must be a text". */
int report_shape_check(const struct report_document *document, const char *name);

#endif
