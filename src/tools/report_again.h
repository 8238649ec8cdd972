/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the text report of a run from its JSON report. */
#ifndef REPORT_AGAIN_H
#define REPORT_AGAIN_H

#include <stdio.h>

#include "report/json/report_document.h"

/* Returns −1 after a logged message, which contains `name`, if the report has no figures. */
int report_again(FILE *out, const struct report_document *document, const char *name);

#endif
