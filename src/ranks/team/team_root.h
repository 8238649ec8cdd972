/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank 0's side of a run on several ranks: makes one of what all of them tell. Intervals,
 * checkpoints and outputs come from a reporter of its own, which is fed with ticks (team_tick.h);
 * the result from the results of all. One thread, the controlling one.
 */
#ifndef TEAM_ROOT_H
#define TEAM_ROOT_H

#include "ranks/launch/crew.h"
#include "ranks/team/team_tick.h"
#include "report/present.h"
#include "run/reporter.h"

struct root_rank {
    int64_t until_ns;     /* the last tick's */
    int64_t end_ns;       /* of the last tick of all; 0: it has not come */
    int64_t late_ns;      /* missed the start by */
    int64_t gone_ns;      /* when it was found to be lost; 0: it is not */
    struct gauges gauges; /* at the last tick */
    struct fairness fairness;
    unsigned threads;
    struct snapshot told;  /* of the measured part, by all its ticks */
    struct bytes result;   /* as it has sent it; empty: not yet */
    struct pending *first; /* ticks that were not added yet */
    struct pending **last;
    struct pending *spare; /* one that was added, for the next; or NULL */
};

struct root {
    struct crew *crew;
    const struct settings *settings; /* of the whole run */
    struct presenter presenter;      /* to whom all is presented; lent */
    struct reporter reporter;
    struct reporter_feed feed;
    struct root_rank *ranks;
    struct interval_rank *parts; /* of each rank, what has been added to the current interval */
    int64_t next_ns;             /* of the next tick, since the start */
    int64_t start_ns;            /* CLOCK_MONOTONIC */
    /* When this process came back after a while in which it did not run; 0: never. */
    int64_t back_ns;
    int64_t looked_ns; /* when silence was looked for last */
    bool slo_lost;     /* --slo-abort ends the run */
    bool lost;         /* a rank is */
    bool told_late;    /* the last line was not of all ranks, which was said */
};

void root_init(struct root *root, struct crew *crew, const struct presenter *presenter);
void root_fini(struct root *root);
void root_begin(struct root *root, int64_t start_ns);

/* Takes the bytes of a tick or a result. */
void root_take_tick(struct root *root, unsigned rank, const void *bytes, size_t size);
void root_take_result(struct root *root, unsigned rank, const void *bytes, size_t size);

/* Adds ticks, and presents intervals and checkpoints, for which the time has come; finds ranks that
 * are lost. */
void root_step(struct root *root, int64_t now_ns);
/* Whether every rank has sent its result, or is lost. */
bool root_has_all(const struct root *root);
/* Gives up those that have not sent their result. */
void root_give_up(struct root *root);
/* Adds what is left, and presents the last interval. */
void root_finish(struct root *root);

#endif
