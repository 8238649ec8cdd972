/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints figures of runs in the formats of other programs, which keep histories of benchmarks or
 * show test results. docs/formats.md lists the programs.
 */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdio.h>

#include "report/json/report_document.h"

/* The choices of the option: "text|nyrkio|bencher|github-action|otava-csv|junit". */
enum report_format_name {
    EXPORT_NONE, /* the text report, which is not an export */
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

/* Returns −1 after a logged message if nothing was measured or, for JUnit, a run had no
 * objectives. */
int report_export(FILE *out, enum report_format_name format, const struct report_named *run,
                  size_t count);

/*
 * Prints "Cost: …", the cost of a million requests if an hour of all machines that the run needed
 * costs `price`. If the run missed its objectives, prints that the cost is unknown.
 */
int report_print_cost(FILE *out, const struct report_named *run, double price);

#endif
