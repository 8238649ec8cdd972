/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank 0's part of a run on several ranks: combines the data of all ranks. Intervals, checkpoints
 * and outputs come from a separate reporter, which receives the ticks of all ranks (team_tick.h).
 * The final result is computed from the results of all ranks. Only the controlling thread calls
 * these functions.
 */
#ifndef TEAM_ROOT_H
#define TEAM_ROOT_H

#include "ranks/launch/crew.h"
#include "ranks/team/team_tick.h"
#include "report/present.h"
#include "run/reporter.h"

struct root_rank {
    int64_t until_ns;     /* time of the newest tick */
    int64_t end_ns;       /* end of the rank's run, from its last tick; 0 until it arrives */
    int64_t late_ns;      /* how late the rank started */
    int64_t gone_ns; /* when the rank was declared lost, CLOCK_MONOTONIC; 0 if it is not lost */
    struct gauges gauges; /* as of the newest tick */
    struct fairness fairness;
    int64_t in_service_ns; /* of the last tick that was added */
    unsigned threads;
    struct snapshot received;  /* sum of all ticks after the warm-up */
    struct bytes result;   /* the encoded result; empty until it arrives */
    struct pending *first; /* list of ticks that were not added yet */
    struct pending **last;
    struct pending *spare; /* a used tick, kept to be reused; or NULL */
};

struct root {
    struct crew *crew;
    const struct settings *settings; /* settings of the whole run */
    struct presenter presenter;      /* presents the whole run; its parts are lent */
    struct reporter reporter;
    struct reporter_feed feed;
    struct root_rank *ranks;
    struct interval_rank *parts; /* for each rank, its share of the current interval */
    struct wait_names waits;     /* names of the waits of all ticks */
    int64_t next_ns;             /* time of the next tick, since the start */
    int64_t start_ns;            /* start of the run, CLOCK_MONOTONIC */
    /* When this process was last scheduled again after a pause of more than 2 s; 0 if never. */
    int64_t back_ns;
    int64_t looked_ns; /* when silent ranks were last looked for */
    bool slo_lost;     /* true if --slo-abort ends the run */
    bool lost;         /* true if a rank is lost */
    /* true after a warning about an incomplete interval; reset by the next complete one */
    bool late_logged;
};

void root_init(struct root *root, struct crew *crew, const struct presenter *presenter);
void root_fini(struct root *root);
void root_begin(struct root *root, int64_t start_ns);

/* Take the encoded tick or result that `rank` has sent. */
void root_take_tick(struct root *root, unsigned rank, const void *bytes, size_t size);
void root_take_result(struct root *root, unsigned rank, const void *bytes, size_t size);

/* Adds the ticks that are due, presents intervals and checkpoints that are due, and finds lost
 * ranks. */
void root_step(struct root *root, int64_t now_ns);
/* Returns true if each rank has sent its result or is lost. */
bool root_has_all(const struct root *root);
/* Declares the ranks lost that have not sent their result. */
void root_give_up(struct root *root);
/* Adds the remaining ticks and presents the last interval. */
void root_finish(struct root *root);

#endif
