/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of the outputs of a run, to which the reporter passes results. All calls between
 * outputs_init() and outputs_fini() must come from one thread, the reporter.
 */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdbool.h>

#include "options/options.h"
#include "options/settings.h"
#include "report/live/output.h"

/* Number of outputs that settings can ask for, and a few that outputs_add() adds. */
#define OUTPUTS_MAX 12

struct outputs {
    struct output output[OUTPUTS_MAX];
    unsigned count;
};

/* Before the run: checks that all files that the settings ask for can be written, so that the
 * run does not fail at its end, and that none of them is a file that another option of `set` names.
 * Returns 0, or −1 after a logged message. */
int outputs_check(const struct settings *settings, const struct options *set);

/* If --json=- is set, reserves standard output for the JSON report and redirects all other
 * output to standard error. Returns 0, or −1 after a logged message. */
int outputs_make_room(struct settings *settings);
/*
 * Opens the outputs that the settings ask for; the settings must outlive the list. Returns 0, or −1
 * after a logged message; the caller must call outputs_fini() in both cases. To be called before
 * threads are started.
 */
int outputs_init(struct outputs *outputs, const struct settings *settings);
void outputs_fini(struct outputs *outputs);

/* Adds an output that the caller owns: its destroy() must do nothing. */
void outputs_add(struct outputs *outputs, struct output output);

/* Returns true if outputs_interval() needs the JSON value of the interval
 * (report_json_interval_value()). */
bool outputs_take_json(const struct outputs *outputs);
/* Each function calls the operation of the same name of all outputs that have it. `value` may be
 * NULL if no output takes JSON. */
void outputs_interval(struct outputs *outputs, const struct interval *interval,
                      const json_t *value);
void outputs_checkpoint(struct outputs *outputs, const struct summary *part, int64_t at_ns);
void outputs_collect(struct outputs *outputs, const struct snapshot *recorded);
void outputs_update(struct outputs *outputs, struct gauges gauges);
/* Calls finish() of all outputs. Returns 0, or −1 if an output has failed; the others are
 * finished nevertheless. */
int outputs_finish(struct outputs *outputs, const struct snapshot *total);
/* Returns true if an output needs outputs_update() at least once a second. */
bool outputs_want_updates(const struct outputs *outputs);
/* Returns true if an output needs outputs_look() at least twice a second. */
bool outputs_want_looks(const struct outputs *outputs);
void outputs_look(struct outputs *outputs, struct gauges gauges, int64_t at_ns);

#endif
