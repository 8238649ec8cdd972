/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of one injection (--inject), for reports. All times count from the start of the run.
 */
#ifndef INJECTION_H
#define INJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/distribution.h"

enum injection_state {
    INJECTION_NOT_STARTED, /* the run was over before */
    INJECTION_DONE,
    INJECTION_FAILED,  /* `error` says why */
    INJECTION_STOPPED, /* it still ran at the end of the run, and was ended */
    INJECTION_LEFT,    /* it still ran at the end, did not stop in time, and was left alone */
};

enum injection_outcome_kind {
    INJECTION_OUTCOME_UNKNOWN, /* of a command, or of a session that was left alone */
    INJECTION_OUTCOME_NONE,    /* the statements of a session were not executed, or failed */
    INJECTION_OUTCOME_ROWS     /* the statements of a session succeeded */
};

/* What an injection has done to the rows of a database. Sessions fill it in. */
struct injection_outcome {
    enum injection_outcome_kind kind;
    /* INJECTION_OUTCOME_ROWS: sums of all statements of the text. */
    bool gave_rows; /* the first one had a result set, maybe an empty one */
    uint64_t rows_changed, rows_read;
};

#define INJECTION_OUTCOME_BYTES 80
/* Writes an outcome in words: "3 rows changed", "12 rows read", "3 rows changed, 12 rows read"; ""
 * unless it is INJECTION_OUTCOME_ROWS. */
void injection_outcome_write(const struct injection_outcome *outcome,
                             char text[INJECTION_OUTCOME_BYTES]);

/* Measured requests that arrived in one span of time. */
struct injection_span {
    int64_t from_ns, to_ns;
    struct distribution response; /* requests that did not complete are in it as lower bounds */
};

struct injection {
    unsigned number;         /* from 1 on, by time */
    const char *kind, *text; /* the text without secrets, on one line */
    int64_t at_ns;           /* asked for */
    int64_t from_ns, to_ns;  /* when it ran */
    enum injection_state state;
    int exit_code, signal; /* of a command; −1 and 0: none */
    const char *error;     /* NULL: it has not failed */
    const char *output;    /* the end of what it printed; of a session `outcome` in words */
    uint64_t output_bytes; /* of all it printed */
    struct injection_outcome outcome;
    struct injection_span before, during, after;
    int64_t level_ns;              /* of the percentile before; −1: unknown */
    int64_t recovery_ns;           /* from its end until it was back there; −1: not, or unknown */
    int64_t percentile, window_ns; /* of recovery */
};

/* Returns true if counts of the server may contain what the injection did: it was a command, or
 * changed rows, or its outcome is unknown. */
bool injection_is_counted(const struct injection *injection);

#endif
