/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges the results of several ranks of one run, as if one process had executed it. Counters and
 * buckets are added, so nothing is lost or averaged. Some properties belong to a single machine:
 * its processors, its lateness, its stalls. These are judged for each rank, and the verdict on the
 * merged result names the rank.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "options/settings.h"
#include "result/judgement.h"
#include "result/result.h"
#include "result/summary.h"

/* The result of one rank. It must not be moved: result and judgement point to its settings. */
struct rank_result {
    char *host;             /* host name of the rank, owned by this struct; NULL if not known */
    int64_t start_wall_ns;  /* CLOCK_REALTIME of the rank when it started */
    int64_t start_asked_ns; /* CLOCK_REALTIME given by --start-at; 0 if not given */
    uint64_t fingerprint;   /* fingerprint of the schedule of all ranks (arrival.h) */
    struct settings settings;
    struct result result;
    struct judgement judgement; /* set by rank_result_judge() */
    /*
     * true if the end of the rank is not known: the result covers only the records that were read
     */
    bool partial;
};

/* Initializes an empty result, with snapshots to be filled in. */
void rank_result_init(struct rank_result *r);
void rank_result_fini(struct rank_result *r);
/* Judges the result. Call it once, when all other fields are filled in. */
void rank_result_judge(struct rank_result *r);

/* The merged result. It points to the ranks, which must outlive it. */
struct ranks {
    struct rank_result *rank;
    unsigned count;    /* number of ranks that have reported */
    unsigned expected; /* number of ranks that took part; more than `count` if some are missing */
    /*
     * Time between the first and the last start of a rank. If the clocks of the ranks were
     * compared, it is known to within bound_ns. If not, bound_ns is −1, and the time depends on how
     * well the wall clocks of the ranks agree.
     */
    int64_t spread_ns, bound_ns;
    int64_t drift_ns; /* largest change between clocks during the run; −1 if not known */
    /* Time between the first and the last end of arrivals, by the same clocks. */
    int64_t ends_apart_ns;
    bool repeats; /* true for separate runs, one after the other, instead of ranks */
    struct settings settings;
    struct result result;
    struct judgement judgement;
};

/*
 * Merges `count` ≥ 1 judged ranks of one run, in the order of their numbers. The merged settings
 * are those of the whole run, even if ranks are missing. If a rank is missing, or its end is, the
 * run is CUT-SHORT.
 */
void ranks_merge(struct ranks *whole, struct rank_result *rank, unsigned count);
/* Merges separate runs instead, each of which had all workers: their times are added. Rank numbers
 * identify the runs. */
void ranks_merge_repeats(struct ranks *whole, struct rank_result *rank, unsigned count);
void ranks_fini(struct ranks *whole);
/* Notes that the clocks of the ranks were compared: start_wall_ns of all ranks is by the same
 * clock. Call it after ranks_merge(). */
void ranks_set_clocks(struct ranks *whole, int64_t bound_ns, int64_t drift_ns);

/* Returns the word for a merged part: "rank" or "run". */
const char *ranks_word(const struct ranks *whole);

/* Adds the same interval of another rank. */
void interval_merge(struct interval *dst, const struct interval *src);
/* Adds the same summary of another rank. *threads is the number of workers in `dst`, and becomes
 * the number of both. */
void summary_merge(struct summary *dst, int64_t *threads, const struct summary *src,
                   int64_t src_threads);

#endif
