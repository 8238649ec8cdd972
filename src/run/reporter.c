/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/reporter.h"

#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "report/report_probe.h"

/* How long counts of what is watched may take to become ours. */
#define CHECK_WAIT_NS (2 * NS_PER_SEC)

/* A checkpoint that is later than this is named by its real time. */
#define LATE_LABEL_NS (NS_PER_SEC / 10)

void reporter_init(struct reporter *r, const struct settings *settings, struct stats *stats,
                   struct workload workload, struct report_json *json, struct outputs *outputs)
{
    *r = (struct reporter){.settings = settings,
                           .stats = stats,
                           .workload = workload,
                           .json = json,
                           .outputs = outputs,
                           .format = {.settings = settings},
                           .text = log_enabled(LOG_NOTICE),
                           .measure_ns = settings->warmup_ns,
                           .part_from_ns = settings->warmup_ns};
    snapshot_init(&r->drained);
    snapshot_init(&r->interval.snapshot);
    snapshot_init(&r->part);
    snapshot_init(&r->total);
    slo_watch_init(&r->watch, &settings->slo, settings->slo_abort_ns, settings->warmup_ns);
}

void reporter_fini(struct reporter *r)
{
    snapshot_fini(&r->drained);
    snapshot_fini(&r->interval.snapshot);
    snapshot_fini(&r->part);
    snapshot_fini(&r->total);
    audit_fini(&r->audit);
    slo_watch_fini(&r->watch);
    free(r->no_op_cause);
}

void reporter_set_format(struct reporter *r)
{
    if (r->workload.appearance != NULL)
        r->workload.appearance->set_presentation(r->workload.self, &r->format.workload);
}

static void count_drained(struct reporter *r)
{
    for (unsigned i = 0; i < COUNTER_TYPES; i++)
        r->counters[i] += r->drained.counter[i];
}

typedef void (*drain_function)(struct stats *stats, enum phase phase, struct snapshot *out);

static void collect(struct reporter *r, int64_t now_ns, drain_function drain)
{
    if (r->settings->rate > 0)
        audit_begin(&r->audit, now_ns);
    if (r->settings->warmup_ns > 0) {
        drain(r->stats, PHASE_WARMUP, &r->drained);
        outputs_collect(r->outputs, &r->drained);
        snapshot_add(&r->interval.snapshot, &r->drained);
        audit_add(&r->audit, &r->drained);
        count_drained(r);
    }
    drain(r->stats, PHASE_MEASURED, &r->drained);
    count_drained(r);
    outputs_collect(r->outputs, &r->drained);
    audit_add(&r->audit, &r->drained);
    snapshot_add(&r->interval.snapshot, &r->drained);
    snapshot_add(&r->part, &r->drained);
    snapshot_add(&r->total, &r->drained);
    if (r->settings->slo_abort_ns > 0)
        slo_watch_add(&r->watch, &r->drained);
}

void reporter_collect(struct reporter *r, int64_t now_ns)
{
    collect(r, now_ns, stats_drain);
}

void reporter_audit(struct reporter *r, int64_t now_ns)
{
    collect(r, now_ns, stats_drain_sums);
}

/* How many requests the measured part will have; INFINITY: nobody knows. */
static double arrivals_in_all(const struct settings *settings)
{
    double limit = settings->events > 0 ? (double)settings->events : INFINITY;
    if (settings->rate == 0 || settings->time_ns == 0)
        return limit;
    return fmin(limit, settings_arrivals_asked(settings, INT64_MAX) -
                           settings_arrivals_asked(settings, settings->warmup_ns));
}

bool reporter_objectives_lost(struct reporter *r, int64_t now_ns, uint64_t in_system)
{
    const struct settings *settings = r->settings;
    if (settings->slo.count == 0 || settings->slo_abort_ns < 0 || now_ns <= r->measure_ns)
        return false;
    if (settings->slo_abort_ns == 0)
        return slo_is_lost(&settings->slo, &r->total, arrivals_in_all(settings));
    return slo_watch_look(&r->watch, now_ns, in_system);
}

static void print_interval(void *arg, bool cumulative)
{
    (void)cumulative;
    const struct reporter *r = arg;
    if (r->text) {
        report_interval(stdout, &r->format, &r->interval);
        log_flush_stdout();
    }
}

/* The built-in text, or the workload's own in its place. */
static void show_interval(struct reporter *r)
{
    const struct workload *w = &r->workload;
    if (w->hooks == NULL || !w->hooks->intermediate(w->self, &r->interval, print_interval, r))
        print_interval(r, false);
}

/* The rate asked for, and Little's law, over the interval that ends. */
static void audit_interval(struct reporter *r)
{
    struct interval *interval = &r->interval;
    const struct snapshot *s = &interval->snapshot;
    if (r->settings->rate == 0 || s->to_ns <= s->from_ns)
        return;
    struct little little = little_of(&r->audit, s, r->interval_in_system);
    interval->asked_per_s = (settings_arrivals_asked(r->settings, s->to_ns) -
                             settings_arrivals_asked(r->settings, s->from_ns)) /
                            ns_to_seconds(s->to_ns - s->from_ns);
    interval->in_system = little.in_system;
    interval->in_system_by_law = little.by_law;
    interval->in_system_error = little.error;
    r->interval_in_system = r->audit.in_system;
}

void reporter_interval(struct reporter *r, int64_t now_ns, struct gauges gauges)
{
    int64_t from_ns = r->interval.snapshot.to_ns;
    reporter_collect(r, now_ns);
    r->interval.snapshot.from_ns = from_ns;
    r->interval.snapshot.to_ns = now_ns;
    audit_interval(r);
    r->interval.warmup = from_ns + (now_ns - from_ns) / 2 < r->measure_ns;
    r->interval.threads_running = gauges.threads_running;
    r->interval.queue_length = gauges.queue_length;
    r->interval.concurrency = gauges.concurrency;
    if (r->probes != NULL)
        probes_interval(r->probes, clock_now_ns(), &r->probed);
    r->interval.probes = r->probes != NULL ? &r->probed : NULL;
    show_interval(r);
    if (r->json != NULL)
        report_json_interval(r->json, &r->interval);
    outputs_interval(r->outputs, &r->interval);
    snapshot_reset(&r->interval.snapshot);
    r->interval.snapshot.from_ns = r->interval.snapshot.to_ns = now_ns;
}

bool reporter_interval_pending(const struct reporter *r, int64_t now_ns, int64_t ns)
{
    const struct snapshot *s = &r->interval.snapshot;
    return now_ns - s->to_ns >= ns || s->counter[COUNTER_EVENT] > 0 || s->offered > 0;
}

struct text_of_summary {
    const struct reporter *reporter;
    const struct summary *part;
};

static void print_summary(void *arg, bool cumulative)
{
    (void)cumulative;
    const struct text_of_summary *text = arg;
    if (text->reporter->text) {
        report_summary(stdout, &text->reporter->format, text->part);
        report_operations(stdout, &text->reporter->format, text->part);
        report_effects(stdout, text->part);
        report_targets(stdout, &text->reporter->format, text->part);
        log_flush_stdout();
    }
}

static void show_summary(struct reporter *r, const struct summary *part)
{
    const struct workload *w = &r->workload;
    struct text_of_summary text = {r, part};
    if (w->hooks == NULL || !w->hooks->cumulative(w->self, part, print_summary, &text))
        print_summary(&text, true);
}

/* The reporter is woken a little late: the heading names the moment that was asked for. */
static int64_t checkpoint_label_ns(const struct settings *settings, int64_t now_ns)
{
    for (unsigned i = 0; i < settings->checkpoints; i++) {
        int64_t late_ns = now_ns - settings->checkpoint_ns[i];
        if (late_ns >= 0 && late_ns <= LATE_LABEL_NS)
            return settings->checkpoint_ns[i];
    }
    return now_ns;
}

void reporter_checkpoint(struct reporter *r, int64_t now_ns)
{
    reporter_collect(r, now_ns);
    struct summary part = {.snapshot = r->part,
                           .fairness = stats_fairness(r->stats, true),
                           .elapsed_ns = now_ns - r->part_from_ns};
    part.snapshot.from_ns = r->part_from_ns;
    part.snapshot.to_ns = now_ns;
    if (r->text)
        report_checkpoint_heading(stdout, checkpoint_label_ns(r->settings, now_ns));
    show_summary(r, &part);
    if (r->text && r->settings->rate > 0)
        report_times(stdout, &r->format, &part);
    log_flush_stdout();
    if (r->json != NULL)
        report_json_checkpoint(r->json, &part, now_ns);
    snapshot_reset(&r->part);
    r->part_from_ns = now_ns;
}

static void censor(struct reporter *r, enum metric metric, int64_t lower_bound_ns)
{
    distribution_censor(&r->part.metric[metric], lower_bound_ns);
    distribution_censor(&r->total.metric[metric], lower_bound_ns);
}

void reporter_add_waiting(struct reporter *r, int64_t age_ns)
{
    censor(r, METRIC_WAIT, age_ns);
    censor(r, METRIC_RESPONSE, age_ns);
}

void reporter_add_in_service(struct reporter *r, int64_t wait_ns, int64_t service_ns)
{
    if (r->settings->rate > 0) {
        distribution_record(&r->part.metric[METRIC_WAIT], wait_ns);
        distribution_record(&r->total.metric[METRIC_WAIT], wait_ns);
        censor(r, METRIC_SERVICE, service_ns);
    }
    censor(r, METRIC_RESPONSE, wait_ns + service_ns);
}

static void censor_failed(struct snapshot *s)
{
    distribution_censor_all(&s->metric[METRIC_RESPONSE], &s->metric[METRIC_FAILED]);
    target_totals_censor_failed(s->targets);
}

/* A rate made of writes that change nothing must not pass for one. */
static void warn_of_no_ops(const struct effects *e, const char *cause)
{
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        if (effects_doubtful(e, kind))
            log_text(LOG_WARNING, "%.2f%% of the writes of kind %s changed nothing%s%s",
                     effects_no_op_percent(e, kind), write_kind_name(kind),
                     cause != NULL ? ": " : "", cause != NULL ? cause : "");
}

/* The verdict on the whole run. */
static void judge(struct reporter *r, struct trust *trust, const struct summary *total)
{
    trust->evidence.settings = r->settings;
    trust->evidence.summary = total;
    trust->evidence.audit = &r->audit;
    trust->verdict = verdict_of(&trust->evidence);
    trust->little = little_of(&r->audit, &total->snapshot, 0);
    /* Ages are part of the integral too: with them nothing is left that could make a difference. */
    trust->little.by_law +=
        total->requests.age_sum_ns / (double)(total->snapshot.to_ns - total->snapshot.from_ns);
}

/* An error is worse than a run that cannot be trusted; one that cannot be trusted says little of
 * its objectives. */
static int judged_code(const struct reporter *r, const struct trust *trust,
                       const struct slo_judgement *judgement, int exit_code)
{
    const struct workload *w = &r->workload;
    if (exit_code == 0 && w->hooks != NULL && w->hooks->failed(w->self))
        return EXIT_FAILED;
    if (exit_code == 0 && trust != NULL && trust->verdict.count > 0 && r->settings->strict)
        return EXIT_DOUBTFUL;
    return exit_code == 0 && !judgement->met ? EXIT_MISSED : exit_code;
}

/* Compares counts, ours with those that were watched. False: they differ. */
static bool check_probes(struct reporter *r)
{
    const struct workload *w = &r->workload;
    const struct effects *effects = r->measure_ns == 0 ? &r->total.effects : NULL;
    bool agree = true;
    r->probed.checks = 0;
    if (w->watch != NULL)
        w->watch->check(w->self, r->counters, effects, r->probes, &r->probed);
    for (unsigned i = 0; i < r->probed.checks; i++)
        agree = agree && r->probed.check[i].agrees;
    return agree;
}

/* What was watched over the whole run. What was done last may take a moment to be counted there. */
static void finish_probes(struct reporter *r)
{
    int64_t deadline_ns = clock_now_ns() + CHECK_WAIT_NS;
    while (!check_probes(r) && clock_now_ns() < deadline_ns) {
        clock_sleep_until_ns(clock_now_ns() + CHECK_WAIT_NS / 10);
        probes_finish(r->probes);
    }
    probes_total(r->probes, &r->probed);
    check_probes(r);
    if (r->json != NULL)
        report_json_probes(r->json, &r->probed);
}

int reporter_final(struct reporter *r, const struct requests *requests, int64_t elapsed_ns,
                   struct trust *trust, const char *end, int exit_code)
{
    censor_failed(&r->part);
    censor_failed(&r->total);
    struct summary part = {.snapshot = r->part,
                           .requests = *requests,
                           .fairness = stats_fairness(r->stats, false),
                           .no_op_cause = r->no_op_cause,
                           .elapsed_ns = max_i64(1, r->measure_ns + elapsed_ns - r->part_from_ns)};
    struct summary total = part;
    total.snapshot = r->total;
    total.elapsed_ns = max_i64(1, elapsed_ns);
    part.snapshot.from_ns = r->part_from_ns;
    total.snapshot.from_ns = r->measure_ns;
    part.snapshot.to_ns = total.snapshot.to_ns = r->measure_ns + elapsed_ns;

    if (trust != NULL)
        judge(r, trust, &total);
    struct slo_judgement judgement;
    slo_judge(&judgement, &r->settings->slo, &total.snapshot, total.elapsed_ns);
    if (r->probes != NULL)
        finish_probes(r);

    if (r->text && r->settings->histogram)
        report_histogram(stdout, &r->total.metric[METRIC_RESPONSE]);
    show_summary(r, &part);
    if (r->text && r->settings->rate > 0)
        report_requests(stdout, &r->format, &total);
    if (r->text && trust != NULL)
        report_trust(stdout, trust);
    if (r->text && judgement.slo->count > 0)
        report_slo(stdout, &judgement);
    if (r->text && r->probes != NULL)
        report_probes(stdout, &r->probed);
    log_flush_stdout();
    if (log_stdout_error() != 0 && exit_code == 0)
        exit_code = EXIT_FAILED;
    warn_of_no_ops(&total.snapshot.effects, r->no_op_cause);
    if (outputs_finish(r->outputs, &total.snapshot) != 0 && exit_code == 0)
        exit_code = EXIT_FAILED;
    exit_code = judged_code(r, trust, &judgement, exit_code);
    if (r->json != NULL && trust != NULL)
        report_json_trust(r->json, trust);
    if (r->json != NULL && judgement.slo->count > 0)
        report_json_slo(r->json, &judgement);
    if (r->json != NULL)
        report_json_summary(r->json, &total, end, exit_code);
    return exit_code;
}
