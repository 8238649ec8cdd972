/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run came to: all that was recorded of it and seen beside it, as values. A result is made
 * once, when the run has ended, and does not change any more: judgement.h judges it, present.h
 * presents it, and neither needs anything of the run that is gone.
 */
#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "options/settings.h"
#include "result/audit.h"
#include "result/injection.h"
#include "result/outage.h"
#include "result/summary.h"
#include "result/verdict.h"
#include "stats/probe.h"

enum end {
    END_NONE,
    END_TIME,
    END_EVENTS,
    END_SCRIPT,
    END_SIGNAL,
    END_QUEUE_FULL,
    END_SLO,
    END_ERROR
};

struct ending {
    enum end why;
    bool failed;    /* the workload has failed, before the end or after it */
    bool abandoned; /* workers were left stuck in an event */
    int signal;     /* the first that the user has sent, before the end or after it; 0: none */
};

struct ranks;

struct result {
    const struct settings *settings; /* of the run; they outlive the result */
    struct ending ending;
    bool is_void; /* nothing was done, for a reason that was told: figures say no more */
    const struct ranks *ranks; /* what it was put together from (ranks.h); NULL: one process */
    struct summary total;      /* the measured part */
    struct summary part;       /* of that, what came after the last checkpoint */

    /* The evidence has what nothing else here says: settings, summary, audit and cut are filled in
     * by the judgement. */
    struct audit audit;
    struct evidence evidence;

    bool watched;
    struct probe_report probed; /* over the whole run, if it was watched */
    struct outages outages;
    const struct injection *injections;
    unsigned injection_count;
    char
        *no_op_cause; /* why many writes changed nothing; NULL: not known, or there were not many */
};

/* Frees the snapshots, the audit, the outages and the cause, which belong to the result; the rest
 * is lent. */
void result_fini(struct result *result);

#endif
