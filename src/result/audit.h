/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is looked at to judge a run: a series of short windows, whatever intervals the user asked
 * for. One thread, the reporter's.
 */
#ifndef AUDIT_H
#define AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include "stats/snapshot.h"

struct audit_window {
    int64_t from_ns, to_ns; /* since the start of the run */
    uint64_t completed;
    /*
     * At its end: waiting or in service. May be below 0: a departure can be recorded a moment
     * before its arrival is, and then the next window makes up for it.
     */
    int64_t in_system;
    double response_sum_ns; /* of the completed */
    int64_t response_max_ns;
    int64_t lag_max_ns; /* of the generator; in a closed loop, how late the client itself woke */
};

struct audit {
    struct audit_window *windows;
    size_t count, room;
    int64_t in_system;
};

void audit_fini(struct audit *audit);

/* Begins the window that ends at `to_ns`; what was recorded in it is then added, phase by phase. */
void audit_begin(struct audit *audit, int64_t to_ns);
/* Sums will do (stats_drain_sums()). Without effect before the first audit_begin(). */
void audit_add(struct audit *audit, const struct snapshot *recorded);
/* After audit_add(), in a closed loop, where nothing is known of arrivals: how many workers are in
 * an event at the end of the window, and how late the client itself woke in it. */
void audit_note(struct audit *audit, unsigned serving, int64_t late_ns);

/*
 * What was in the system, as it stood at the ends of the windows: the mean over those that end
 * after `from_ns` and not after `to_ns`; 0 without any.
 */
double audit_mean_in_system(const struct audit *audit, int64_t from_ns, int64_t to_ns);

/*
 * Little's law over the span of a snapshot: the mean number in the system, integrated over time
 * from arrivals and departures, against throughput × mean response time. Requests that are in the
 * system at a border count on one side only, so the two may differ by `error`: as many requests as
 * were there at both borders, times the largest response time.
 */
struct little {
    double in_system; /* ∫ N dt / T */
    double by_law;    /* sum of response times / T */
    double error;
};

/* `before`: in the system when the span began. The windows of the span are in *audit. */
struct little little_of(const struct audit *audit, const struct snapshot *s, int64_t before);

#endif
