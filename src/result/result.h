/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of a run: everything that was recorded or observed, as values. A result is made once,
 * when the run has ended, and does not change afterwards. judgement.h judges it and present.h
 * presents it; neither needs any other object of the run.
 */
#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "options/settings.h"
#include "result/audit.h"
#include "result/connections/idle_counts.h"
#include "result/injection.h"
#include "result/rate_phase.h"
#include "result/outage.h"
#include "result/summary.h"
#include "result/verdict.h"
#include "result/waits/plans.h"
#include "result/waits/slow_requests.h"
#include "result/waits/wait_record.h"
#include "result/waits/wait_shares.h"
#include "stats/probe.h"

enum end {
    END_NONE,
    END_TIME,
    END_EVENTS,
    END_SCRIPT,
    END_SIGNAL,
    END_QUEUE_FULL,
    END_SLO,
    END_UNTIL, /* the figures of --until are known */
    END_ERROR
};

struct ending {
    enum end why;
    bool failed;    /* true if the workload failed, before the end of the run or after it */
    bool abandoned; /* true if workers that were stuck in an event were abandoned */
    int signal; /* first signal from the user, before the end of the run or after it; 0 if none */
};

struct ranks;

struct result {
    const struct settings *settings; /* settings of the run; must outlive the result */
    struct ending ending;
    /* True if nothing was executed, for a reason that was logged; the figures mean nothing then. */
    bool is_void;
    /* Ranks from which it was merged (ranks.h); NULL for a single process. */
    const struct ranks *ranks;
    struct summary total; /* summary of the measured part */
    struct summary part;  /* summary of the time after the last checkpoint */

    /* `evidence` has what no other field has. Its settings, summary, audit and cut are filled in
     * when the result is judged. */
    struct audit audit;
    struct evidence evidence;

    bool watched;
    struct probe_report probed; /* samples of the whole run, if `watched` is true */
    struct outages outages;
    struct slow_requests *slowest; /* details of slow requests; NULL if they were not kept */
    struct wait_record *sampled;   /* samples of wait events; NULL if none were taken */
    struct wait_shares *waits;     /* what the samples say; NULL if none were taken */
    struct plans *plans;       /* plans of statements; NULL if they were not asked for */
    struct idle_counts idle;   /* of --idle-connections */
    const struct injection *injections;
    unsigned injection_count;
    struct rate_phase *phases; /* phases of a changing arrival rate; NULL at a constant rate */
    unsigned phase_count;
    char
        /* Why many writes changed nothing; NULL if not known or if there were only few. */
        *no_op_cause;
};

/* Frees the snapshots, the audit, the outages, the slow requests, the waits, the phases and
 * no_op_cause. The result does not own its other objects. */
void result_fini(struct result *result);

#endif
