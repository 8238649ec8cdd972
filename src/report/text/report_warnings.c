/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warnings about facts for which the layouts of sysbench have no section. */
#include "report/text/report.h"

#include "base/log.h"

static bool has_bounds(const struct settings *settings, const struct distribution *d)
{
    bool found = distribution_mean(d).censored || distribution_max(d).censored;
    for (unsigned i = 0; i < settings->percentiles; i++)
        found = found || distribution_percentile(d, settings->percentile[i]).censored;
    return found;
}

void report_bounds(const struct settings *settings, const struct summary *summary)
{
    if (has_bounds(settings, &summary->snapshot.metric[METRIC_RESPONSE]))
        log_text(LOG_WARNING,
                 "requests that did not end are counted with their age, so times in the report are "
                 "lower bounds (--report=full marks them)");
}

void report_findings(const struct verdict *verdict)
{
    for (unsigned i = 0; i < verdict->count; i++)
        log_text(LOG_WARNING, "verdict %s: %s. %s", verdict->finding[i].name,
                 verdict->finding[i].figure, verdict->finding[i].advice);
}

void report_missed(const struct slo_judgement *judgement)
{
    for (unsigned i = 0; i < judgement->slo->count; i++) {
        const struct slo_objective *objective = &judgement->slo->objective[i];
        const struct slo_figure *figure = &judgement->figure[i];
        if (!figure->met)
            log_text(LOG_WARNING, "objective %s is missed: %s", objective->text,
                     figure->known ? slo_figure_text(objective, figure).text : "nothing measured");
    }
}
