/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An input file of `sysrate merge`: the JSON report of a whole run or of one rank, or a spool file.
 */
#ifndef MERGE_INPUT_H
#define MERGE_INPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "ranks/spool.h"
#include "report/json/report_document.h"
#include "report/json/report_restore.h"

struct merge_input {
    const char *path;
    json_t *head; /* the report, or at least its beginning: test, config, … */
    struct report_document document;
    struct report_restored restored; /* used for a report without a spool */
    struct bytes bytes;              /* bytes of the spool */
    struct spool spool; /* the decoded spool; for a whole run, filled as if the run had one rank */
    bool is_rank;                    /* true for one rank of several */
};

/* Reads the file. Returns −1 after logging a message if the file cannot be read or is neither a
 * report nor a spool. The caller must call merge_input_fini() in both cases. */
int merge_input_load(struct merge_input *input, const char *path);
void merge_input_fini(struct merge_input *input);

/* Returns the string at `path` in `head`, or "" if there is no such string. */
const char *merge_input_text(const struct merge_input *input, const char *path);

#endif
