/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The judgement on a run: how far its figures can be trusted.
 * docs/definitions.md derives the thresholds.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "options/settings.h"
#include "result/audit.h"
#include "result/summary.h"

/* What ended a run before its time, other than its user. */
enum cut { CUT_NONE, CUT_ERROR, CUT_FORCED };

/* What the run is judged by. Shares are of 1. */
struct evidence {
    const struct settings *settings;
    const struct summary *summary;
    const struct audit *audit;
    enum cut cut;
    int64_t arrivals_end_ns; /* since the start of the run: nothing arrived later */
    double client_cpu;       /* of the machine, without generator and standby; < 0: unknown */
    double steal;            /* of the machine; < 0: unknown */
    /* Closed loop: the client's CPU time, of the time of as many workers as there are processors
     * for; < 0: unknown, or what the load goes to is part of the client. */
    double worker_cpu;

    /* At an arrival rate. */
    double goodness;      /* goodness_distance() */
    uint64_t gaps;        /* that the goodness rests on */
    double generator_cpu; /* of one processor */
    double standby_cpu;   /* of one processor, spent by workers on standing by for arrivals */
    bool spins_beside;    /* the generator spun on a machine that the server shares */
};

struct finding {
    const char *name; /* "CLIENT-LIMITED" … */
    char figure[240];
    const char *advice; /* one sentence */
};

struct verdict {
    unsigned count; /* 0: VALID */
    struct finding finding[8]; /* of one process 5 at most */
    /* What chance alone makes of goodness in no more than one run of 1000; 0: not Poisson. */
    double ks_critical;
};

/* All that a report says of its own worth. */
struct trust {
    struct evidence evidence;
    struct verdict verdict;
    struct little little; /* over the measured part, at an arrival rate */
};

struct verdict verdict_of(const struct evidence *evidence);

#endif
