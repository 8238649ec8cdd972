/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statements of a log in the order in which they began.
 *
 * Clocks of logs are coarse: what shares a tick is spread over it evenly, in the order of the log.
 * Some logs tell when a statement has ended, so that its beginning is known only later, and so are
 * durations and errors that stand behind it. Therefore the log is read ahead: TIMELINE_ITEMS
 * statements, or TIMELINE_BYTES of text, whichever is less. Memory does not depend on the length of
 * the log. A statement that has taken longer than is read ahead comes late, which is counted.
 *
 * Within a session the order is that of the log, and no two begin at the same time.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/replay/log/log_reader.h"
#include "workloads/replay/replay_item.h"

#define TIMELINE_ITEMS 65536
#define TIMELINE_BYTES ((size_t)64 << 20)
#define TIMELINE_LEFT_OUT 16

struct timeline_plan {
    const char *files; /* as in log_source_open() */
    enum log_format format;
    const char *prefix;   /* as in log_reader_open() */
    const char *database; /* only sessions that are known to be there; NULL: all */
    bool writes;          /* also what may write */
    uint64_t bytes;       /* of the log, at most; 0: all */
};

struct left_out {
    const char *what; /* in the plural */
    uint64_t count;
};

/* What became of what was read. */
struct timeline_counts {
    uint64_t refused;      /* statements that may write */
    char refused_text[80]; /* how the first of them begins */
    uint64_t refused_line;
    uint64_t elsewhere; /* of other databases */
    /* Of PostgreSQL's that are replayed: the database of the first, and how many are of others. */
    char database[LOG_EVENT_DATABASE_BYTES];
    uint64_t of_others;
    struct left_out left_out[TIMELINE_LEFT_OUT];
    unsigned left_outs;
    uint64_t late; /* began before what was taken already */
    int64_t late_most_ns;
    uint64_t back;   /* how often the clock of the log went back */
    int64_t tick_ns; /* the coarsest */
    bool ends;       /* times are of ends */
};

struct timeline;

/* The plan and its texts must outlive it. NULL after a logged message. */
struct timeline *timeline_open(const struct timeline_plan *plan);
/* NULL is harmless. */
void timeline_close(struct timeline *t);

/* The next statement, which the caller frees; NULL: there is none any more. Opened again, it gives
 * the same ones. */
struct replay_item *timeline_next(struct timeline *t);

/* Of what was read so far. */
const struct timeline_counts *timeline_counts(const struct timeline *t);
const struct log_reader *timeline_reader(const struct timeline *t);

#endif
