/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in a log, found by reading it once before it is replayed. */
#ifndef REPLAY_CENSUS_H
#define REPLAY_CENSUS_H

#include <stdio.h>

#include "workloads/replay/timeline.h"

struct replay_census {
    enum log_format format;
    uint64_t statements;       /* to be replayed */
    uint64_t timed, failed;    /* of these, with a logged duration; that ended with an error */
    int64_t first_ns, last_ns; /* when the first and the last of them began, by the log's clock */
    uint64_t bytes;            /* of the log */
    uint32_t sessions;
    unsigned peak;       /* so many at a time, at most */
    int64_t *last_order; /* of each session's last statement */
    struct timeline_counts counts;
    uint64_t malformed, malformed_line;
    char malformed_file[256];
    bool incomplete; /* a file could not be read to its end */
};

/* −1 after a logged message: unreadable, or nothing in it to be replayed. replay_census_fini() is
 * due in either case. */
int replay_census_take(struct replay_census *c, const struct timeline_plan *plan);
void replay_census_fini(struct replay_census *c);

/* How long it lasts. */
static inline int64_t replay_census_span_ns(const struct replay_census *c)
{
    return c->last_ns - c->first_ns;
}

#define REPLAY_NOTE_BYTES 240

/* Calls `add` for each thing that is worth a line: what is not replayed, how coarse the clock is ….
 */
void replay_census_each(const struct replay_census *c, void (*add)(void *arg, const char *text),
                        void *arg);

#endif
