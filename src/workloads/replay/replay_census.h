/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a log once before it is replayed, and counts what is in it. */
#ifndef REPLAY_CENSUS_H
#define REPLAY_CENSUS_H

#include <stdio.h>

#include "workloads/replay/timeline.h"

struct replay_census {
    enum log_format format;
    uint64_t statements; /* number of statements to be replayed */
    uint64_t timed;      /* statements with a logged duration */
    uint64_t failed;     /* statements that ended with an error in the log */
    /* Start times of the first and the last statement, by the clock of the log. */
    int64_t first_ns, last_ns;
    struct log_bytes bytes; /* read from the log */
    uint32_t sessions;
    unsigned peak; /* largest number of sessions at the same time */
    /* Numbers of sessions are below `numbers`. With copies, some of these have no statement. */
    uint32_t numbers;
    /* For each number: the `order` of the session's last statement; −1 if it has none. */
    int64_t *last_order;
    /* Hash of all statements: their times, sessions and texts. Two logs with the same hash are the
     * same load. */
    uint64_t hash;
    struct timeline_counts counts;
    struct log_tally skipped; /* lines that were skipped */
    /* The smallest and the largest `one_in` of the statements. */
    unsigned one_in_least, one_in_most;
    bool limits_sessions; /* see log_reader_limits_sessions() */
    bool scaled;          /* each session is replayed as often as the log asks for */
    bool several_files;
    bool incomplete; /* a file could not be read to its end */
};

/* Reads the log. Returns −1 after a logged message if the log cannot be read or has nothing to be
 * replayed. The caller has to call replay_census_fini() in either case. */
int replay_census_take(struct replay_census *c, const struct timeline_plan *plan);
/* The same, and calls see(arg, nanoseconds since the first statement) for each statement in the
 * order of their times. */
int replay_census_take_each(struct replay_census *c, const struct timeline_plan *plan,
                            void (*see)(void *arg, int64_t since_ns), void *arg);
void replay_census_fini(struct replay_census *c);

/* Time from the start of the first to the start of the last statement, in nanoseconds. */
static inline int64_t replay_census_span_ns(const struct replay_census *c)
{
    return c->last_ns - c->first_ns;
}

#define REPLAY_NOTE_BYTES 500

/* Calls `add` for each remark about the log, for example which statements are not replayed, or the
 * resolution of its clock. */
void replay_census_each(const struct replay_census *c, void (*add)(void *arg, const char *text),
                        void *arg);

#endif
