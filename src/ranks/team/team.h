/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run on several ranks, from inside one of them. The rank runs as a run of its own does, by
 * settings that leave all presentation out; what it records goes to rank 0 with ticks
 * (team_tick.h), and its result at the end. Rank 0 presents what all have told (team_root.h).
 *
 * Only the controlling thread calls these functions. None of them blocks during the run.
 */
#ifndef TEAM_H
#define TEAM_H

#include "ranks/launch/crew.h"
#include "ranks/launch/crew_steps.h"
#include "ranks/team/team_root.h"
#include "ranks/team/team_tick.h"
#include "run/reporter.h"

struct team {
    struct crew *crew;
    const struct settings *whole; /* settings of the run that all ranks make */
    struct reporter *reporter;    /* of this rank; it forwards what it takes */
    struct root *root;            /* NULL: this is not rank 0 */
    struct tick tick;             /* since the last one */
    struct crew_start start;
    int64_t next_ns;   /* of the next tick, since the start */
    int64_t beat_ns;   /* when the others were last told that rank 0 is there */
    int64_t looked_ns; /* when rank 0's silence was looked at last */
    enum end stop;     /* why the rank has been told to end; END_NONE: it has not */
};

/* Joins `reporter` to a team; `root` is rank 0's, and lent. */
struct team *team_create(struct crew *crew, const struct settings *whole, struct reporter *reporter,
                         struct root *root);
void team_destroy(struct team *team);

/* All workers are ready: when the run starts (CLOCK_MONOTONIC), a moment that is near; −1: it does
 * not, after a message somewhere. */
int64_t team_start(struct team *team);

/* Whatever is due: messages, a tick unless it would be at `end_ns` (CLOCK_MONOTONIC) or later, what
 * rank 0 makes of the others' ticks. gauges(arg) is called for each tick, and not otherwise. */
void team_step(struct team *team, struct gauges (*gauges)(void *arg), void *arg, int64_t end_ns);
/* Returns when team_step() must be called again at the latest (CLOCK_MONOTONIC). */
int64_t team_next_ns(const struct team *team);
/* Why the run should end, as far as others are concerned; END_NONE: it need not. */
enum end team_end(const struct team *team);
/* This rank's run has ended, for that reason: the others end too, where it concerns them. */
void team_ended(struct team *team, enum end why);

/* The rank's run has ended `end_ns` after the start, and all was collected. */
void team_last_tick(struct team *team, struct gauges gauges, int64_t end_ns);
/*
 * The result as bytes, to rank 0. Waits until rank 0 has the results of all that are not lost, and
 * has measured the clocks again; in a hurry after a signal.
 */
void team_hand_over(struct team *team, const struct bytes *result);

#endif
