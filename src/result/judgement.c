/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/judgement.h"

#include "options/exit_codes.h"

/* Returns the exit code that follows from how the run ended. */
static int ending_code(const struct ending *e)
{
    if (e->failed || e->why == END_QUEUE_FULL)
        return EXIT_FAILED;
    if (e->signal != 0)
        return EXIT_BY_SIGNAL + e->signal;
    return e->abandoned ? EXIT_FORCED : EXIT_WELL;
}

/* Returns true if the run ended because its time, events or script were over, but the end had to be
 * forced because workers were stuck. */
static bool ended_by_force(const struct ending *e)
{
    return e->abandoned && e->signal == 0 &&
           (e->why == END_TIME || e->why == END_EVENTS || e->why == END_SCRIPT ||
            e->why == END_UNTIL);
}

const char *judgement_end_name(const struct ending *ending)
{
    static const char *const names[] = {
        [END_NONE] = "",         [END_TIME] = "time",     [END_EVENTS] = "events",
        [END_SCRIPT] = "script", [END_SIGNAL] = "signal", [END_QUEUE_FULL] = "queue_full",
        [END_SLO] = "slo",       [END_UNTIL] = "until",   [END_ERROR] = "error"};
    return ended_by_force(ending) ? "forced_shutdown" : names[ending->why];
}

/* A run that the user ended by a signal, or whose objectives ended it, is not cut: the user knows
 * why it ended. */
static enum cut cut_of(const struct ending *e)
{
    if (e->failed)
        return CUT_ERROR;
    return e->abandoned && e->signal == 0 ? CUT_FORCED : CUT_NONE;
}

/*
 * Applies Little's law to the measured part. The ages of unfinished requests are part of the
 * integral, so they are added to the response times, too: then both sides cover the same times. A
 * run that ended in its warm-up has not measured any time, and so has no mean.
 */
static struct little little_with_ages(const struct result *result)
{
    const struct summary *total = &result->total;
    const struct snapshot *s = &total->snapshot;
    struct little little = little_of(&result->audit, s, 0);
    if (s->to_ns > s->from_ns)
        little.by_law += total->requests.age_sum_ns / (double)(s->to_ns - s->from_ns);
    return little;
}

static struct trust trust_of(const struct result *result)
{
    struct trust trust = {.evidence = result->evidence};
    trust.evidence.settings = result->settings;
    trust.evidence.summary = &result->total;
    trust.evidence.audit = &result->audit;
    trust.evidence.outages = &result->outages;
    trust.evidence.cut = cut_of(&result->ending);
    trust.verdict = verdict_of(&trust.evidence);
    plans_remark(result->plans, trust.verdict.plans, sizeof(trust.verdict.plans));
    if (result->settings->rate > 0)
        trust.little = little_with_ages(result);
    return trust;
}

/* A result that cannot be trusted says little about objectives. */
static int quality_code(const struct settings *settings, const struct judgement *j)
{
    if (settings->strict && j->trust.verdict.count > 0)
        return EXIT_DOUBTFUL;
    return j->slo.met ? EXIT_WELL : EXIT_MISSED;
}

struct judgement judgement_of(const struct result *result)
{
    const struct trust trust = trust_of(result);
    return judgement_with(result, &trust);
}

struct judgement judgement_with(const struct result *result, const struct trust *trust)
{
    const struct settings *settings = result->settings;
    const struct summary *total = &result->total;
    struct judgement j = {.trust = *trust};
    slo_judge(&j.slo, &settings->slo, &total->snapshot, total->elapsed_ns);
    j.exit_code = ending_code(&result->ending);
    if (j.exit_code == EXIT_WELL)
        j.exit_code = quality_code(settings, &j);
    return j;
}

static void name_failures(struct finding *f, const struct remarks *remarks)
{
    size_t used = 0;
    for (unsigned i = 0; i < remarks->audits && used < sizeof(f->figure); i++) {
        const struct remark_audit *a = &remarks->audit[i];
        if (a->state == AUDIT_FAILS)
            used += (size_t)snprintf(f->figure + used, sizeof(f->figure) - used, "%s%s: %.2f%s",
                                     used > 0 ? "; " : "", a->text, a->mean * (a->share ? 100 : 1),
                                     a->share ? " %" : "");
    }
}

void judgement_add_remarks(struct judgement *j, const struct settings *settings,
                           const struct remarks *remarks)
{
    struct verdict *v = &j->trust.verdict;
    if (tally_audit_failures(remarks) == 0 || v->count == ARRAY_SIZE(v->finding))
        return;
    struct finding *f = &v->finding[v->count++];
    *f = (struct finding){.name = "AUDIT-FAILED",
                          .advice = "The workload deviates from its specification; the figures do "
                                    "not describe it."};
    name_failures(f, remarks);
    if (j->exit_code == EXIT_WELL || j->exit_code == EXIT_MISSED)
        j->exit_code = quality_code(settings, j);
}

int judgement_exit_code(const struct judgement *judgement, bool presented)
{
    if (presented || judgement->exit_code >= EXIT_BY_SIGNAL)
        return judgement->exit_code;
    return EXIT_FAILED;
}
