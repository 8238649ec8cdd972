/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilds the result of a run from its JSON report, as far as the text at the end of a run needs
 * it. The buckets and sums in the report are exact, so the rebuilt figures equal those that the run
 * printed.
 */
#ifndef REPORT_RESTORE_H
#define REPORT_RESTORE_H

#include <stdbool.h>

#include "options/settings.h"
#include "report/json/report_document.h"
#include "result/slo_judge.h"
#include "result/summary.h"
#include "result/verdict.h"
#include "result/waits/wait_shares.h"

struct report_restored {
    struct settings settings; /* the settings that text reports use: workers, rate, percentiles */
    struct summary total;
    struct trust trust;
    bool judged; /* the report has an audit, so `trust` is set */
    struct slo slo;
    struct slo_judgement objectives; /* results for `slo`; empty if there were no objectives */
    struct wait_shares *waits;       /* wait events; NULL if they were not sampled */
};

/*
 * Rebuilds the result from `document`, which must outlive the result because texts are borrowed
 * from it. Returns 0, or −1 after a logged message with `name` if the run ended before it could
 * measure anything.
 */
int report_restore(struct report_restored *r, const struct report_document *document,
                   const char *name);
void report_restored_fini(struct report_restored *r);

/*
 * Returns percentiles of the response time of a summary, in milliseconds, as a new object {"p99":
 * {value, censored}, …}. Percentiles that the summary lacks are computed from its buckets.
 */
json_t *report_percentiles(const json_t *summary, const int64_t *percentile, unsigned count);

/* Adds the types of `list` to `t`. `list` is event_types or deferred of a summary or checkpoint;
 * it may be NULL. */
void report_restore_types(struct target_totals *t, const json_t *list);

#endif
