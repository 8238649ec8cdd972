/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON report (docs/json.md) that was read from a file: the intervals remain text, because there
 * may be many; the rest is parsed.
 */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include <jansson.h>

#include <stdbool.h>

#include "report/json/json_slice.h"

struct report_document {
    char *text;             /* the whole report, not terminated by a zero byte */
    size_t bytes;           /* length of the text */
    json_t *head;           /* all members except the intervals */
    struct slice intervals; /* the part of the text with the array of intervals */
};

/*
 * Parses a report of `bytes` bytes. Takes ownership of `text`, also on failure. Returns 0, or −1
 * after logging what is wrong with the report `name`: not JSON, incomplete, not a report, or a
 * report with another schema.
 */
int report_document_parse(struct report_document *document, const char *name, char *text,
                          size_t bytes);
/* The same without the member `left_out`, which is not parsed. */
int report_document_parse_without(struct report_document *document, const char *name, char *text,
                                  size_t bytes, const char *left_out);
/* Returns the contents of a file, to be freed by the caller, or NULL after a logged message. */
char *report_document_read(const char *path, size_t *bytes);
/* Reads and parses a file. Returns 0, or −1 after logging why the file cannot be read or used. */
int report_document_load(struct report_document *document, const char *path);
void report_document_fini(struct report_document *document);

/* Calls `visit` for each interval. Returns 0, or −1 after a logged message with `name` if the
 * intervals are not valid; `visit` may have been called for some of them. */
int report_document_each(const struct report_document *document, const char *name,
                         void (*visit)(void *arg, const json_t *interval), void *arg);

#endif
