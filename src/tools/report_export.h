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

/* Choices of the option --format, for a row of options. */
#define REPORT_FORMAT_CHOICES                                                                      \
    OPTION_CHOICES([EXPORT_NONE] = {"text", NULL}, [EXPORT_NYRKIO] = {"nyrkio", NULL},             \
                   [EXPORT_BENCHER] = {"bencher", NULL},                                           \
                   [EXPORT_GITHUB_ACTION] = {"github-action", NULL},                               \
                   [EXPORT_OTAVA_CSV] = {"otava-csv", NULL}, [EXPORT_JUNIT] = {"junit", NULL})

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

/* Parts of the formats. */

/* Returns the value of the label `name` of a run, which lives as long as the document; "" if the
 * run does not have the label. */
const char *report_export_label(const struct report_document *document, const char *name);
/* Returns the seconds since 1970 of a time such as "2026-11-23T14:22:22.827Z"; 0 if the text is not
 * a time. */
json_int_t report_export_seconds(const char *started);
/* Prints a text as a field of CSV, in quotes. */
void report_export_csv_text(FILE *out, const char *text);
/* Prints a text with the escapes of XML and without control characters. */
void report_export_xml_text(FILE *out, const char *text);
/* Returns the `attributes` of Nyrkiö's format, from the labels of a run; a new reference. */
json_t *report_export_attributes(const struct report_document *document);

#endif
