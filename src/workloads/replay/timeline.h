/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Returns the statements of a log in the order in which they began.
 *
 * Clocks of logs are coarse: statements of the same tick are spread evenly over it, in the order of
 * the log. Some logs have the end of a statement, so its start is known only later, and durations
 * and errors may come after the statement. Therefore the log is read ahead, by TIMELINE_ITEMS
 * statements or TIMELINE_BYTES of text, whichever is less. Memory does not depend on the length of
 * the log. A statement that took longer than is read ahead is returned too late, which is counted.
 *
 * The statements of a session are in the order of the log, and no two of them begin at the same
 * time.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/replay/log/log_reader.h"
#include "workloads/replay/replay_item.h"

#define TIMELINE_ITEMS 65536
#define TIMELINE_BYTES ((size_t)64 << 20)

struct timeline_plan {
    const char *files; /* see log_source_open() */
    enum log_format format;
    const char *prefix;   /* see log_reader_open() */
    const char *database; /* only sessions that are known to be in this database; NULL for all */
    bool writes;          /* include statements that may write */
    bool by_user;         /* see log_reader_sessions_by_user() */
    /* The largest number of times that a session is returned (session_copies.h): the largest
     * `one_in` of all statements. 0 and 1: each session is returned once. */
    unsigned copies;
    const struct log_bytes *bytes; /* read at most so much of the log; NULL to read all */
};

/* Statements of the log that are not replayed as they were logged. */
struct timeline_counts {
    uint64_t refused;      /* number of statements that are left out because they may write */
    char refused_text[80]; /* beginning of the text of the first of them */
    uint64_t refused_line;
    uint64_t elsewhere; /* number of statements in other databases */
    /* For PostgreSQL: the database of the first replayed statement, and the number of replayed
     * statements in other databases. */
    char database[LOG_EVENT_DATABASE_BYTES];
    uint64_t of_others;
    struct log_tally left_out;
    uint64_t late; /* number of statements that began before one that was already returned */
    int64_t late_most_ns;
    uint64_t back;   /* number of times that the clock of the log was set back */
    int64_t tick_ns; /* largest tick of the clock in the log */
    bool ends;       /* the log has the end times of statements */
};

struct timeline;

/* Opens the log. The plan and its texts must outlive the timeline. Returns NULL after a logged
 * message. */
struct timeline *timeline_open(const struct timeline_plan *plan);
/* `t` may be NULL. */
void timeline_close(struct timeline *t);

/* Returns the next statement, which the caller frees, or NULL after the last one. A timeline that
 * is opened again returns the same statements. */
struct replay_item *timeline_next(struct timeline *t);

/* Counts of the part of the log that was read until now. */
const struct timeline_counts *timeline_counts(const struct timeline *t);
const struct log_reader *timeline_reader(const struct timeline *t);

#endif
