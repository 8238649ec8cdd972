/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files capacity*.c share. */
#ifndef CAPACITY_INTERNAL_H
#define CAPACITY_INTERNAL_H

#include <jansson.h>
#include <stdio.h>

#include "tools/capacity/capacity_record.h"
#include "tools/subject.h"

struct capacity {
    struct subject subject;
    struct slo slo;
    const char *folder;
    int lock_fd;    /* of the folder; −1: none */
    double probe_s; /* measured part of a probe */
    double pause_s; /* between two probes */
    double time_limit_s;
    struct capacity_search search;
    struct capacity_run *run; /* one for each probe of the search */
    size_t runs;
    char started[32];   /* ISO 8601, UTC */
    json_t *settings;   /* what another search must have in common with this one to be compared with
                           it; NULL: no probe has ended */
    char cut_short[80]; /* why the search has not come to its end; "": it has */
};

/* capacity_probe.c: one probe as a run. */

enum capacity_status {
    CAPACITY_DONE,
    CAPACITY_INTERRUPTED,
    CAPACITY_FAILED /* after a logged message */
};

/*
 * Carries out run->probe, passes its warnings on and fills in the rest. *report, a new reference,
 * and *text, the same as it was written and the caller's, are set when it is DONE.
 */
enum capacity_status capacity_execute(struct capacity *c, struct capacity_run *run, json_t **report,
                                      char **text);

/*
 * capacity_margin.c: the margin of a whole probe (capacity_search.h), by what was measured in it
 * and, to make up for its limited length, in its `parts` parts of equal length.
 */
double capacity_margin(const struct slo_judgement *j, const struct snapshot *part, size_t parts);

/*
 * capacity_outcome.c: what a report says of it. −1: it has no summary of a run that came to its
 * end.
 */
int capacity_read(struct capacity_run *run, const struct slo *slo, const json_t *report);

/* capacity_settings.c: takes c->settings from the report of a probe, unless they are known. */
void capacity_note_settings(struct capacity *c, const json_t *report);

/* capacity_files.c: the folder. All return −1 after a logged message. */

/* Makes and locks it; it must be empty, and files can be written there. */
int capacity_folder_open(struct capacity *c);
/* The report of the last probe, as it was written: so it is the same in an archive. */
int capacity_keep_report(const struct capacity *c, const char *text);
/* All that is known, as JSON, CSV and a page; and into the archive, if there is to be one. */
int capacity_write(const struct capacity *c);
/* It as values, which are good until the next probe is added. */
struct capacity_record capacity_record(const struct capacity *c);

#endif
