/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run was, made anew from its JSON report: enough for the text at the end of a run. The
 * buckets and sums of the report are exact, so its figures are those that the run printed.
 */
#ifndef REPORT_RESTORE_H
#define REPORT_RESTORE_H

#include <stdbool.h>

#include "options/settings.h"
#include "report/json/report_document.h"
#include "result/slo_judge.h"
#include "result/summary.h"
#include "result/verdict.h"

struct report_restored {
    struct settings settings; /* what texts ask of them: workers, rate, percentiles */
    struct summary total;
    struct trust trust;
    bool judged; /* `trust` is known */
    struct slo slo;
    struct slo_judgement objectives; /* of `slo`, where there are any */
};

/*
 * Texts in it are the document's, which must outlive it. −1 after a logged message with `name`: the
 * run could measure nothing.
 */
int report_restore(struct report_restored *r, const struct report_document *document,
                   const char *name);
void report_restored_fini(struct report_restored *r);

/*
 * Percentiles of the response time of a summary, as {"p99": {value, censored}, …} in milliseconds:
 * those that the report has, and the others from its buckets. The caller's.
 */
json_t *report_percentiles(const json_t *summary, const int64_t *percentile, unsigned count);

/* Adds the types in `list`, which is event_types or deferred of a summary or checkpoint, or NULL.
 */
void report_restore_types(struct target_totals *t, const json_t *list);

#endif
