/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters and times of each target. Targets are the destinations of requests, if there are several
 * (for SQL: hosts). Part of stats (stats.h), which records everything for the run and for the
 * target of the request, so the targets add up to the run. Two further sets hold the types of
 * requests and the types of deferred work, which have no connections.
 *
 * The number of targets is limited (registry.h). One thread, the reader, drains.
 */
#ifndef TARGETS_H
#define TARGETS_H

#include "stats/registry.h"
#include "stats/stats_part.h"

#define TARGETS REGISTRY_NAMES
#define TARGET_NAME_BYTES 160

struct targets;

struct targets *targets_create(unsigned threads, bool timed);
void targets_destroy(struct targets *t);

/* Returns the number of the target with this name, which is created on first use. The number is
 * valid for the whole run. May be called by any thread. */
unsigned targets_find(struct targets *t, const char *name);
/* Returns the part in which the calling thread `thread` records for `target`. It is created on
 * first use. From now on this is the target that the thread uses. */
struct stats_part *targets_part(struct targets *t, unsigned thread, unsigned target);
/* Adds `opened` to the number of connections to a target, and `lost` to the number of lost ones
 * among them. May be called by any thread. */
void targets_connections(struct targets *t, unsigned target, int opened, int lost);
/* Notes that a lost connection to a target will not be restored there, so it is not missing. May be
 * called by any thread. */
void targets_connection_left(struct targets *t, unsigned target);
/* Adds `more` to the number of missing connections of the run, whether it has targets or not. May
 * be called by any thread. */
void targets_missing(struct targets *t, int more);

/* The current state, for the reader. */

/* Return the number of connections that are missing now: of the run, and to one target. */
unsigned targets_missing_in_all(const struct targets *t);
unsigned targets_missing_at(const struct targets *t, unsigned target);
unsigned targets_number(const struct targets *t);
const char *targets_name(const struct targets *t, unsigned target);
/* Returns the target that a thread uses, or −1 if it uses no target. */
int targets_of_thread(const struct targets *t, unsigned thread);
/* Returns a counter of a target since the start of the run, including the warm-up. */
uint64_t targets_counted(const struct targets *t, unsigned target, enum counter counter);

/* Sums over one span of time, and the connections at its end. */
struct target_total {
    char name[TARGET_NAME_BYTES];
    int64_t connections;
    int64_t lost; /* number of connections among these that are lost now */
    uint64_t counter[COUNTER_TYPES];
    struct distribution metric[METRIC_TYPES];
};

struct target_totals {
    unsigned count; /* number of targets; 0 if the workload has no targets */
    struct target_total target[TARGETS];
};

struct target_totals *target_totals_create(void);
void target_totals_destroy(struct target_totals *t);
void target_totals_reset(struct target_totals *t);
/* Adds totals of the same process, in which targets have the same numbers. Connections are not
 * added: those of `src` replace those of `dst`. */
void target_totals_add(struct target_totals *dst, const struct target_totals *src);
/* Adds totals of another process: targets are matched by name, and connections are added. */
void target_totals_merge(struct target_totals *dst, const struct target_totals *src);
/* Adds the times of failed requests to response and service times, as lower bounds. */
void target_totals_censor_failed(struct target_totals *t);
/*
 * For types of requests. `all` has the response times of the run. Some of its censored values
 * belong to requests that ended before their type was known. These values are distributed over the
 * types in proportion to each type's share of the requests whose type is known, rounded up.
 */
void target_totals_share_censored(struct target_totals *t, const struct distribution *all);
/* Returns NULL if no target has this name. */
const struct target_total *target_totals_named(const struct target_totals *t, const char *name);

/* Adds to *out everything recorded in `phase` since the last call. For the reader only. */
void targets_drain(struct targets *t, enum phase phase, struct target_totals *out);

#endif
