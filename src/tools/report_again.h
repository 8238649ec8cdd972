/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text that a run ended with, printed again from its JSON report. */
#ifndef REPORT_AGAIN_H
#define REPORT_AGAIN_H

#include <stdio.h>

#include "report/json/report_document.h"

/* −1 after a logged message with `name`: there are no figures in it. */
int report_again(FILE *out, const struct report_document *document, const char *name);

#endif
