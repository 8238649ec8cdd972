/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of runs in the formats of other programs: those that keep histories of benchmarks, and
 * those that show results of tests. docs/formats.md has who reads what.
 */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdio.h>

#include "report/json/report_document.h"

/* As the option has them: "text|nyrkio|bencher|github-action|otava-csv|junit". */
enum report_format_name {
    EXPORT_NONE, /* text, which is no export */
    EXPORT_NYRKIO,
    EXPORT_BENCHER,
    EXPORT_GITHUB_ACTION,
    EXPORT_OTAVA_CSV,
    EXPORT_JUNIT,
};

struct report_named {
    const char *name; /* for messages */
    const struct report_document *document;
};

/* −1 after a logged message: nothing was measured, or, for JUnit, a run had no objectives. */
int report_export(FILE *out, enum report_format_name format, const struct report_named *run,
                  size_t count);

/*
 * "Cost: …", of a million requests, where an hour of all that the run needed costs `price`. Only
 * of a run that met its objectives, if it had any; else a line that says so.
 */
int report_print_cost(FILE *out, const struct report_named *run, double price);

#endif
