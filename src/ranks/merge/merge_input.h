/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that merge is given: the JSON report of a run or of one of its ranks, or a spool. */
#ifndef MERGE_INPUT_H
#define MERGE_INPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "ranks/spool.h"
#include "report/json/report_document.h"
#include "report/json/report_restore.h"

struct merge_input {
    const char *path;
    json_t *head; /* the report, or its beginning: test, config, … */
    struct report_document document;
    struct report_restored restored; /* of a report without a spool */
    struct bytes bytes;              /* the spool */
    struct spool spool;              /* of a whole run: as of one that had one rank */
    bool is_rank;                    /* of several */
};

/* −1 after a logged message: it cannot be read, or is neither. merge_input_fini() is due in either
 * case. */
int merge_input_load(struct merge_input *input, const char *path);
void merge_input_fini(struct merge_input *input);

/* Its text at `path` of the head; "" where there is none. */
const char *merge_input_text(const struct merge_input *input, const char *path);

#endif
