/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came of the statements beside what the log says of them: how long they took, by class,
 * errors, and how far the replay was behind its schedule. Any thread.
 */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "result/remarks.h"

struct replay_compare;

struct replay_compare *replay_compare_create(void);
/* NULL is harmless. */
void replay_compare_destroy(struct replay_compare *c);

/* A statement of the measured part that has ended. */
struct replay_outcome {
    const char *class_name;
    int64_t logged_ns; /* −1: the log does not say */
    int64_t took_ns;   /* the statement alone */
    int64_t due_ns;    /* since the start of the run */
    int64_t begun_ns;  /* when it was begun; its lag is begun − due */
    int64_t waited_ns; /* of the lag: for the statement before it in its session */
    bool executed;     /* it was sent; else it has failed */
    bool answered;     /* by the server; else it has failed, but not as in the log */
    bool failed, failed_in_log;
};
void replay_compare_add(struct replay_compare *c, const struct replay_outcome *o);
/* A connection was opened while a statement waited for it. */
void replay_compare_connected(struct replay_compare *c, int64_t ns);
/* The text of an error that the log does not have, told once for each of the first few. */
void replay_compare_error(struct replay_compare *c, const char *statement, const char *message);

/* Adds notes and comparisons. No thread records any more. */
void replay_compare_remarks(struct replay_compare *c, struct remarks *remarks);

/* Adds a line to the notes, if there is room. */
void replay_note(struct remarks *remarks, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
