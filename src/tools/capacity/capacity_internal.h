/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files capacity*.c. */
#ifndef CAPACITY_INTERNAL_H
#define CAPACITY_INTERNAL_H

#include <jansson.h>
#include <stdio.h>

#include "options/inject_plan.h"
#include "tools/capacity/capacity_record.h"
#include "tools/subject.h"

/* capacity_log.c: searches over the speed of a replayed log. */

/* The load of a log, as its clock has it. */
struct capacity_log {
    double min_speed, max_speed; /* bounds of the search */
    double statements, span_s;
    double rate;   /* mean rate, per second; 0 if the test is not a replay */
    char hash[17]; /* two logs with the same hash are the same load */
};

struct capacity {
    struct subject subject;
    struct inject_plan before; /* commands that are run before each probe */
    struct capacity_log log;
    struct slo slo;
    const char *folder;
    int lock_fd;    /* lock of the folder; −1 if it is not locked */
    double probe_s; /* measured part of a probe, in seconds */
    double pause_s; /* pause between two probes, in seconds */
    double time_limit_s;
    struct capacity_search search;
    struct capacity_run *run; /* one for each probe of the search */
    size_t runs;
    char started[32]; /* start of the search, ISO 8601, UTC */
    /* Settings that another search must share to be comparable with this one; NULL until a probe
     * has ended. */
    json_t *settings;
    char cut_short[160]; /* why the search was cut short; "" if it has completed */
};

/* Checks the options of a search, in which either the rate or the speed of a replay changes, and
 * reads the bounds of the speed. Returns −1 after a logged message. */
int capacity_log_options(struct capacity *c);
/* If the test is a replay, reads the log once and sets c->log and the bounds of the rate. Returns −1
 * after a logged message. */
int capacity_log_read(struct capacity *c);

/* capacity_probe.c: makes one probe, which is a run. */

enum capacity_status {
    CAPACITY_DONE,
    CAPACITY_INTERRUPTED,
    CAPACITY_FAILED /* after a logged message */
};

/*
 * Makes the probe run->probe, prints its warnings and fills in the other fields of `run`. If the
 * result is CAPACITY_DONE, *report is a new reference to the report and *text the text of the
 * report, owned by the caller.
 */
enum capacity_status capacity_execute(struct capacity *c, struct capacity_run *run, json_t **report,
                                      char **text);

/* capacity_outcome.c */

/*
 * Returns the margin of a whole probe (capacity_search.h) from the judgement on it. The figures of
 * its `parts` parts of equal length are used to correct the bias that comes from the limited length
 * of the probe.
 */
double capacity_margin(const struct slo_judgement *j, const struct snapshot *part, size_t parts);
/* Reads the outcome of a probe from its report. Returns −1 if the report has no summary of a run
 * that has completed. */
int capacity_read(struct capacity_run *run, const struct slo *slo, const json_t *report);
/* Sets c->settings from the report of a probe, unless they are set already. */
void capacity_note_settings(struct capacity *c, const json_t *report);

/* capacity_files.c: the folder of the search. The functions return −1 after a logged message. */

/* Creates and locks the folder. It must be empty and writable. */
int capacity_folder_open(struct capacity *c);
/* Saves the report of the last probe with the same bytes as in the archive. */
int capacity_keep_report(const struct capacity *c, const char *text);
/* Writes everything that is known as JSON, CSV and a page, and adds the search to the archive if
 * requested. */
int capacity_write(const struct capacity *c);
/* Returns the commands of --before-probe. */
json_t *capacity_value_before(const struct capacity *c);
/* Returns the search as values, which are valid until the next probe is added. */
struct capacity_record capacity_record(const struct capacity *c);

#endif
