/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of several ranks of one run, put together as if one process had executed it: counters
 * and buckets are added, so nothing is lost or averaged. What can only be said of each machine (its
 * processors, its lateness, whether it stood still) is judged rank by rank, and the verdict on the
 * whole names the rank.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "options/settings.h"
#include "result/judgement.h"
#include "result/result.h"
#include "result/summary.h"

/* What one rank has come to. Stays where it is: result and judgement refer to its settings. */
struct rank_result {
    char *host;             /* owned; NULL: not known */
    int64_t start_wall_ns;  /* CLOCK_REALTIME at its start, by its own clock */
    int64_t start_asked_ns; /* likewise, what --start-at has named; 0: nothing */
    uint64_t fingerprint;   /* of the schedule of all ranks (arrival.h) */
    struct settings settings;
    struct result result;
    struct judgement judgement; /* of rank_result_judge() */
    bool partial;               /* its end is not known: the result is what was read until then */
};

/* Makes an empty one, with snapshots to be filled. */
void rank_result_init(struct rank_result *r);
void rank_result_fini(struct rank_result *r);
/* Once, when all else is filled in. */
void rank_result_judge(struct rank_result *r);

/* The whole. Refers to the ranks, which must outlive it. */
struct ranks {
    struct rank_result *rank;
    unsigned count;    /* that are there */
    unsigned expected; /* that took part; more than `count`: some are missing */
    /* How far their starts lay apart, and how well that is known: by clocks that were compared, to
     * within bound_ns; −1: by the ranks' own wall clocks, of which nothing is known. */
    int64_t spread_ns, bound_ns;
    int64_t
        drift_ns; /* how far the clocks have moved apart during the run, at most; −1: not known */
    int64_t ends_apart_ns; /* how far the last moments of arrivals lay apart, by the same clocks */
    bool repeats;          /* they are runs by themselves, one after the other */
    struct settings settings;
    struct result result;
    struct judgement judgement;
};

/*
 * Puts `count` ≥ 1 judged ranks together, which are of one run, in the order of their numbers. The
 * settings are those of the run as it was asked for, whether all ranks are there or not; one that
 * is missing, or whose end is, makes the run CUT-SHORT.
 */
void ranks_merge(struct ranks *whole, struct rank_result *rank, unsigned count);
/* The same with runs by themselves, each of which had all workers: times add up. Their ranks'
 * numbers are those by which they are told apart. */
void ranks_merge_repeats(struct ranks *whole, struct rank_result *rank, unsigned count);
void ranks_fini(struct ranks *whole);
/* The clocks of the ranks were compared; start_wall_ns of all ranks is by one of them. Behind
 * ranks_merge(). */
void ranks_set_clocks(struct ranks *whole, int64_t bound_ns, int64_t drift_ns);

/* What they are called: "rank" or "run". */
const char *ranks_word(const struct ranks *whole);

/* Adds what another rank had in the same interval. */
void interval_merge(struct interval *dst, const struct interval *src);
/* Adds what another rank had in the same part; *threads are those of dst and become those of both.
 */
void summary_merge(struct summary *dst, int64_t *threads, const struct summary *src,
                   int64_t src_threads);

#endif
