/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides when the figures of a run are known as precisely as --until asks for. A run that ends
 * when an interval happens to be narrow would be wrong too often if each look used a 95 % interval.
 * So the number of looks is limited: each comes after 1.25 times the time of the one before, until
 * --time. If there can be J looks, each uses intervals that are wrong with a probability of 0.05 /
 * J. By the union bound, all intervals of a figure contain the true value together with at least
 * 95 %, however the looks depend on each other: they are a confidence sequence at these times. The
 * geometric times are those of S. R. Howard, A. Ramdas, J. McAuliffe and J. Sekhon, "Time-uniform,
 * nonparametric, nonasymptotic confidence sequences", Annals of Statistics 49 (2021). The
 * intervals of each look are those of batch_series.h. To be used by one thread only.
 */
#ifndef UNTIL_WATCH_H
#define UNTIL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "options/until.h"
#include "stats/certain/batch_series.h"

/* The first look needs this many batches. */
#define UNTIL_BATCHES_MIN 20

struct until_watch {
    const struct until *until;
    double doubt;          /* error probability of the intervals of one look */
    int64_t first_look_ns; /* time of the first look since the end of the warm-up */
    int64_t next_look_ns;
    unsigned looks;            /* number of looks so far */
    double reached[UNTIL_MAX]; /* precision of each goal at the last look; INFINITY if not known */
};

/* `span_ns` > 0 is the least length of a batch, `time_ns` > 0 the longest time of the run. `until`
 * must outlive the watch. */
void until_watch_init(struct until_watch *w, const struct until *until, int64_t span_ns,
                      int64_t time_ns);

/*
 * Returns true if all goals are reached. To be called whenever a batch has ended, with the time
 * since the end of the warm-up and the response times until then, which are those of the batches.
 * Without goals, returns false.
 */
bool until_watch_look(struct until_watch *w, int64_t measured_ns, const struct batch_series *b,
                      const struct distribution *all);

/* Logs what was reached after `measured_ns`: one line if all goals were reached, otherwise a
 * warning for each goal that was not. */
void until_watch_log(const struct until_watch *w, int64_t measured_ns);

#endif
