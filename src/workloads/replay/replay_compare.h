/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the replayed statements with the log: durations by class of statement, errors, and how
 * far the replay was behind its schedule. Any thread may call these functions.
 */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "result/remarks.h"

struct replay_compare;

struct replay_compare *replay_compare_create(void);
/* `c` may be NULL. */
void replay_compare_destroy(struct replay_compare *c);

/* Outcome of a statement that ended in the measured part of the run. */
struct replay_outcome {
    const char *class_name;
    int64_t logged_ns; /* duration in the log; −1 if the log does not have it */
    int64_t took_ns;   /* duration of the statement alone, without waiting */
    int64_t due_ns;    /* arrival time since the start of the run */
    int64_t begun_ns;  /* start since the start of the run; the lag is begun_ns − due_ns */
    int64_t waited_ns; /* part of the lag: time waited for the previous statement of the session */
    bool executed;     /* true if the statement was sent; if not, it counts as failed */
    /* True if the server answered; if not, the statement has failed in another way than in the
     * log. */
    bool answered;
    bool failed, failed_in_log;
};
void replay_compare_add(struct replay_compare *c, const struct replay_outcome *o);
/* Records that a statement waited `ns` nanoseconds for its connection to be opened. */
void replay_compare_connected(struct replay_compare *c, int64_t ns);
/* Keeps the text of an error that the log does not have, for the notes. Only the first few
 * different errors are kept. */
void replay_compare_error(struct replay_compare *c, const char *statement, const char *message);

/* Adds the notes and comparisons. Call it when no thread records outcomes any longer. */
void replay_compare_remarks(struct replay_compare *c, struct remarks *remarks);

/* Adds a line to the notes, or does nothing if there is no room. */
void replay_note(struct remarks *remarks, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
