/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of one injection (--inject), for reports. All times are in nanoseconds since the start
 * of the run.
 */
#ifndef INJECTION_H
#define INJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/waits/wait_span.h"
#include "stats/distribution.h"

enum injection_state {
    INJECTION_NOT_STARTED, /* the run ended before the injection */
    INJECTION_DONE,
    INJECTION_FAILED,  /* the injection failed; `error` has the reason */
    INJECTION_STOPPED, /* the injection still ran at the end of the run and was stopped */
    INJECTION_LEFT,    /* the injection still ran at the end of the run and did not stop in time */
};

enum injection_outcome_kind {
    INJECTION_OUTCOME_UNKNOWN, /* of a command, or of a session that did not end in time */
    INJECTION_OUTCOME_NONE,    /* the statements of a session were not executed, or failed */
    INJECTION_OUTCOME_ROWS     /* the statements of a session succeeded */
};

/* What an injection did to the rows of a database; filled in by its session. */
struct injection_outcome {
    enum injection_outcome_kind kind;
    /* If INJECTION_OUTCOME_ROWS: sums over all statements of the text. */
    bool gave_rows; /* the first statement had a result set, which may be empty */
    uint64_t rows_changed, rows_read;
};

#define INJECTION_OUTCOME_BYTES 80
/* Writes an outcome in words: "3 rows changed", "12 rows read", or "3 rows changed, 12 rows read".
 * Writes "" unless the kind is INJECTION_OUTCOME_ROWS. */
void injection_outcome_write(const struct injection_outcome *outcome,
                             char text[INJECTION_OUTCOME_BYTES]);

/* The measured requests that arrived in one span of time. */
struct injection_span {
    int64_t from_ns, to_ns;
    struct distribution response; /* requests that did not complete count as lower bounds */
    struct distribution connect;  /* times to connect; empty if there are no storms */
};

struct injection {
    unsigned number;         /* number of the injection in order of time, from 1 on */
    const char *kind, *text; /* the text has no secrets and is on one line */
    int64_t at_ns;           /* start of the injection that was asked for */
    int64_t from_ns, to_ns;  /* actual start and end of the injection */
    enum injection_state state;
    /* Exit code of a command (−1 without an exit code), and signal that ended it (0 without one).
     */
    int exit_code, signal;
    const char *error;     /* reason of a failure; NULL if the injection has not failed */
    const char *output;    /* end of the output of a command; `outcome` of a session in words */
    uint64_t output_bytes; /* size of the complete output */
    struct injection_outcome outcome;
    struct injection_span before, during, after;
    struct wait_span waits; /* during the injection; `names` is NULL if waits were not sampled */
    int64_t level_ns; /* level of the percentile before the injection; −1 if not known */
    /* from the end of the injection until the percentile was back at this level; −1 if it was not,
     * or if this is not known */
    int64_t recovery_ns;
    int64_t percentile, window_ns; /* percentile and window length for the recovery (recovery.h) */
};

/* Returns true if counts of the server may contain what the injection did: it was a command, or
 * changed rows, or its outcome is unknown. */
bool injection_is_counted(const struct injection *injection);

#endif
