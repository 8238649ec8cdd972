/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where requests went, when there are several places (for SQL: hosts): counters and times of each.
 * Part of stats, which records into a target what it records of the run, so that the targets add up
 * to the run. A second set of them holds the types of requests, which have no connections.
 *
 * Targets are few (registry.h). One thread drains.
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

/* The target of that name, made when it is new. The number stays for the whole run. Any thread. */
unsigned targets_find(struct targets *t, const char *name);
/* Where `thread`, the calling one, records of a target, which is where it goes from now on; made
 * when it is first asked for. */
struct stats_part *targets_part(struct targets *t, unsigned thread, unsigned target);
/* So many more connections to a target exist, and so many more of them are lost. Any thread. */
void targets_connections(struct targets *t, unsigned target, int opened, int lost);
/* A lost connection to a target does not come back there: nobody misses it any more. Any thread. */
void targets_connection_left(struct targets *t, unsigned target);
/* So many more connections are missing, to targets or, without any, to where all go. Any thread. */
void targets_missing(struct targets *t, int more);

/* How things stand now, for one thread that looks. */

/* Connections that are missing just now: in all, to one target. */
unsigned targets_missing_in_all(const struct targets *t);
unsigned targets_missing_at(const struct targets *t, unsigned target);
unsigned targets_number(const struct targets *t);
const char *targets_name(const struct targets *t, unsigned target);
/* Where a thread goes; −1: to none. */
int targets_of_thread(const struct targets *t, unsigned thread);
/* What was counted of a target since the start of the run. */
uint64_t targets_counted(const struct targets *t, unsigned target, enum counter counter);

/* Sums of one span of time, and how things stood at its end. */
struct target_total {
    char name[TARGET_NAME_BYTES];
    int64_t connections;
    int64_t lost; /* of these, not there at the moment */
    uint64_t counter[COUNTER_TYPES];
    struct distribution metric[METRIC_TYPES];
};

struct target_totals {
    unsigned count; /* 0: the workload tells no targets apart */
    struct target_total target[TARGETS];
};

struct target_totals *target_totals_create(void);
void target_totals_destroy(struct target_totals *t);
void target_totals_reset(struct target_totals *t);
/* Both of one run: targets have the same numbers. */
void target_totals_add(struct target_totals *dst, const struct target_totals *src);
/* The same of two processes: goes by names, and connections add up. */
void target_totals_merge(struct target_totals *dst, const struct target_totals *src);
/* Adds the times of failed requests to response and service times, as lower bounds. */
void target_totals_censor_failed(struct target_totals *t);
/*
 * Types: the lower bounds in `all`, the response times of the run, that no type has are of requests
 * that ended before they were known to be of one. Each type gets as many of them as its share of
 * the known requests is, rounded up.
 */
void target_totals_share_censored(struct target_totals *t, const struct distribution *all);
/* NULL: there is none of that name. */
const struct target_total *target_totals_named(const struct target_totals *t, const char *name);

/* Adds to *out what was recorded in `phase` since the last call. */
void targets_drain(struct targets *t, enum phase phase, struct target_totals *out);

#endif
