/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of one injection (--inject), for reports. All times count from the start of the run.
 */
#ifndef INJECTION_H
#define INJECTION_H

#include <stdint.h>

#include "stats/distribution.h"

enum injection_state {
    INJECTION_NOT_STARTED, /* the run was over before */
    INJECTION_DONE,
    INJECTION_FAILED,  /* `error` says why */
    INJECTION_STOPPED, /* it still ran at the end of the run, and was ended */
    INJECTION_LEFT,    /* it still ran at the end, did not stop in time, and was left alone */
};

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
    const char *output;    /* the end of what it printed; of a statement what came of it */
    uint64_t output_bytes; /* of all it printed */
    struct injection_span before, during, after;
    int64_t level_ns;              /* of the percentile before; −1: unknown */
    int64_t recovery_ns;           /* from its end until it was back there; −1: not, or unknown */
    int64_t percentile, window_ns; /* of recovery */
};

#endif
