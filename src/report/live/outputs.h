/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outputs of a run: a list that the reporter hands results to, whatever they are. One thread,
 * the reporter's, makes all calls between outputs_init() and outputs_fini().
 */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdbool.h>

#include "options/settings.h"
#include "report/live/output.h"

/* All that settings can ask for, and a few that others add. */
#define OUTPUTS_MAX 12

struct outputs {
    struct output output[OUTPUTS_MAX];
    unsigned count;
};

/* Whether all files that the settings ask for can be written, before the run: better now than after
 * an hour. −1 after a logged message. */
int outputs_check(const struct settings *settings);

/* --json=-: standard output is for the document alone, and the rest goes to standard error. −1 after
 * a logged message. */
int outputs_make_room(struct settings *settings);
/*
 * Opens all that the settings ask for; they must outlive the list. −1 after a logged message;
 * outputs_fini() is due in any case. Before there are other threads.
 */
int outputs_init(struct outputs *outputs, const struct settings *settings);
void outputs_fini(struct outputs *outputs);

/* One that somebody else owns: its destroy() does nothing. */
void outputs_add(struct outputs *outputs, struct output output);

/* Whether outputs_interval() needs the JSON of the interval (report_json_interval_value()). */
bool outputs_take_json(const struct outputs *outputs);
/* Each calls the operation of that name of all outputs that have it. `value` may be NULL if no
 * output takes JSON. */
void outputs_interval(struct outputs *outputs, const struct interval *interval,
                      const json_t *value);
void outputs_checkpoint(struct outputs *outputs, const struct summary *part, int64_t at_ns);
void outputs_collect(struct outputs *outputs, const struct snapshot *recorded);
void outputs_update(struct outputs *outputs, struct gauges gauges);
/* −1 when any has failed; the others are finished all the same. */
int outputs_finish(struct outputs *outputs, const struct snapshot *total);
/* Whether some output wants outputs_update() at least once a second. */
bool outputs_want_updates(const struct outputs *outputs);
/* Whether some output wants outputs_look() at least twice a second. */
bool outputs_want_looks(const struct outputs *outputs);
void outputs_look(struct outputs *outputs, struct gauges gauges, int64_t at_ns);

#endif
