/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small report to read, and files made of it. */
#ifndef TEST_DOCUMENT_FIXTURE_H
#define TEST_DOCUMENT_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "report/json/report_document.h"

#define HEAD                                                                                       \
    "{\"schema\":2,\"tool\":{\"name\":\"sysrate\"},\"config\":{\"threads\":4},\"test\":\"a\","
#define TAIL "\"checkpoints\":[{\"at_s\":1.5,\"histogram\":{}}],\"summary\":{\"end\":\"time\"}}"
#define FIRST                                                                                      \
    "{\"to_s\":0.5,\"warmup\":true,\"queue\":3,\"response_ms\":{\"mean\":1.25,"                    \
    "\"percentiles\":{\"p99.9\":{\"value\":null}}}}"
#define SECOND "{\"to_s\":1.000000001,\"warmup\":false,\"counters\":{\"errors\":7},\"queue\":[]}"

static struct report_document document;

static inline int parse(const char *text)
{
    return report_document_parse(&document, "a.json", xstrdup(text), strlen(text));
}

/* What the file holds, which is removed; the caller frees it. */
static inline char *read_back(const char *path)
{
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    char *text = xcalloc(1, 2000000);
    ck_assert_uint_gt(fread(text, 1, 1999999, in), 0);
    fclose(in);
    unlink(path);
    return text;
}

#endif
