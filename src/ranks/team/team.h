/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run on several ranks, as seen from one rank. The rank executes its share like a run of its own,
 * but with settings that disable all output. It sends what it records to rank 0 in ticks
 * (team_tick.h), and its result at the end. Rank 0 presents the data of all ranks (team_root.h).
 *
 * nly the controlling thread calls these functions. None of them blocks during the run.
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
    const struct settings *whole; /* settings of the whole run */
    struct reporter *reporter;    /* reporter of this rank, which forwards its data to the team */
    struct root *root;            /* NULL if this is not rank 0 */
    struct tick tick;             /* data recorded since the previous tick */
    struct crew_start start;
    int64_t next_ns;   /* time of the next tick, since the start of the run */
    int64_t beat_ns;   /* when rank 0 last sent CREW_ALIVE */
    int64_t looked_ns; /* when this rank last checked whether rank 0 is silent */
    enum end stop;     /* why the rank was asked to end; END_NONE if it was not */
};

/* Joins `reporter` to a team. `root` is lent: rank 0's, or NULL in other ranks. */
struct team *team_create(struct crew *crew, const struct settings *whole, struct reporter *reporter,
                         struct root *root);
void team_destroy(struct team *team);

/*
 * Call when all workers are ready. Returns the start time of the run, shortly ahead
 * (CLOCK_MONOTONIC), or −1 if the run cannot start, after this or another rank has logged a
 * message.
 */
int64_t team_start(struct team *team);

/*
 * Does what is due: handles messages; sends a tick, unless its time is `end_ns` (CLOCK_MONOTONIC)
 * or later; in rank 0, processes the ticks of all ranks. gauges(arg) is called once per tick only.
 */
void team_step(struct team *team, struct gauges (*gauges)(void *arg), void *arg, int64_t end_ns);
/* Returns when team_step() must be called again at the latest (CLOCK_MONOTONIC). */
int64_t team_next_ns(const struct team *team);
/* Returns why the run should end because of other ranks, or END_NONE if it need not end. */
enum end team_end(const struct team *team);
/* Call when this rank's run has ended, with the reason. The other ranks end too, if the reason
 * concerns them. */
void team_ended(struct team *team, enum end why);

/* Call when all data was collected. `end_ns` is when the rank's run ended, since the start. */
void team_last_tick(struct team *team, struct gauges gauges, int64_t end_ns);
/* Sends the encoded result to rank 0. Waits until rank 0 has the results of all ranks that are not
 * lost, and has measured the clocks again. The wait is shorter after a signal. */
void team_hand_over(struct team *team, const struct bytes *result);

#endif
