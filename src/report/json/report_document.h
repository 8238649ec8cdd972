/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON report (docs/json.md) that is read again: its intervals stay text, the rest is parsed.
 */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include <jansson.h>

#include <stdbool.h>

#include "report/json/json_slice.h"

struct report_document {
    char *text;             /* the whole report, with no zero behind it */
    size_t bytes;           /* of it */
    json_t *head;           /* all of it but the intervals */
    struct slice intervals; /* of the text: an array */
};

/*
 * Takes `text` over, whatever the result. `name` is for messages: −1 after one line that says what
 * is wrong (not JSON, cut short, no report, a report of another schema).
 */
int report_document_parse(struct report_document *document, const char *name, char *text,
                          size_t bytes);
/* The whole file, for the caller to free. NULL after a logged message. */
char *report_document_read(const char *path, size_t *bytes);
/* Reads and parses the file. −1 after one line that says what is wrong, also when it cannot be
 * read. */
int report_document_load(struct report_document *document, const char *path);
void report_document_fini(struct report_document *document);

/* Calls `visit` for each interval until one is no JSON object: −1 then, after a logged message with
 * `name`. */
int report_document_each(const struct report_document *document, const char *name,
                         void (*visit)(void *arg, const json_t *interval), void *arg);

#endif
