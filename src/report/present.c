/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/present.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "report/page/html.h"
#include "report/text/report_connects.h"
#include "report/text/report_probe.h"
#include "report/text/report_plans.h"
#include "report/text/report_policies.h"
#include "report/text/report_quality.h"
#include "report/text/report_slowest.h"

/* A checkpoint that is later than this is labelled with its real time. */
#define LATE_LABEL_NS (NS_PER_SEC / 10)

struct presenter presenter_of(const struct settings *settings, struct reported_workload workload,
                              struct report_json *json, struct outputs *outputs)
{
    return (struct presenter){.settings = settings,
                              .workload = workload,
                              .text = log_enabled(LOG_NOTICE),
                              .json = json,
                              .outputs = outputs};
}

/* Returns true if a person reads the output. The output is meant for programs if it is not a
 * terminal, or if --report asks for a layout. */
static bool is_for_people(const struct settings *settings)
{
    return settings->layout == LAYOUT_FULL && (!settings->layout_asked || settings->brief) &&
           isatty(STDOUT_FILENO);
}

/* Returns the operations of the workload. If the workload does not report anything, all
 * operations are NULL. */
static const struct workload_report *report_of(const struct presenter *p)
{
    static const struct workload_report none;
    return p->workload.ops != NULL ? p->workload.ops : &none;
}

/* Returns how to format the text. This is determined for each section, because a workload may
 * begin to count statements at any time. */
static struct report_format format_of(const struct presenter *p)
{
    const bool narrow = is_for_people(p->settings);
    /* If there are checkpoints, the summary is of the last part only, whereas the other sections
     * are of the whole run, so no figure is repeated. */
    struct report_format format = {
        .settings = p->settings, .narrow = narrow, .once = narrow && p->settings->checkpoints == 0};

    if (report_of(p)->set_presentation != NULL)
        report_of(p)->set_presentation(p->workload.self, &format.workload);
    return format;
}

void present_header(const struct presenter *p)
{
    if (!p->text || p->settings->brief)
        return;
    report_header(stdout, p->settings);
    if (report_of(p)->print_mode != NULL)
        report_of(p)->print_mode(p->workload.self, stdout);
}

/* True if sections that sysbench does not have are printed, too. */
static bool shows_all(const struct presenter *p)
{
    return p->text && p->settings->layout == LAYOUT_FULL;
}

/* During the run. */

/* Prints the built-in text, unless a hook of the workload replaces it. */
static void show_interval(const struct presenter *p, const struct interval *interval)
{
    const struct workload_report *w = report_of(p);
    const struct report_format format = format_of(p);
    if (report_leaves_out(p->settings, interval))
        return;
    bool own = w->intermediate != NULL && w->intermediate(p->workload.self, interval);
    if (!own && p->text)
        report_interval(stdout, &format, interval);
    log_flush_stdout();
}

void present_interval(const struct presenter *p, const struct interval *interval)
{
    show_interval(p, interval);
    const bool needs_json = p->json != NULL || outputs_take_json(p->outputs);
    json_t *value = needs_json ? report_json_interval_value(p->settings, interval) : NULL;
    outputs_interval(p->outputs, interval, value);
    if (p->json != NULL)
        report_json_add_interval(p->json, value);
    else
        json_decref(value);
}

bool present_wants_end(const struct presenter *p)
{
    const struct workload_report *w = report_of(p);
    return w->wants_end != NULL && w->wants_end(p->workload.self);
}

static void print_summary(const struct presenter *p, const struct summary *part)
{
    const struct report_format format = format_of(p);
    report_summary(stdout, &format, part);
    if (!shows_all(p))
        return;
    report_operations(stdout, &format, part);
    report_effects(stdout, part);
    report_policies(stdout, format.settings, part);
    report_quality(stdout, part->snapshot.qualities);
    report_targets(stdout, &format, part);
    report_event_types(stdout, &format, part);
    report_deferred(stdout, &format, part);
    report_terminals(stdout, part);
    report_sessions(stdout, &format, part);
}

/* Prints a summary, and returns true if sections that sysbench does not have may follow it. If a
 * hook of the workload has printed a report to a pipe, a program may read it, so no sections
 * follow unless --report asks for them. */
static bool show_summary(const struct presenter *p, const struct summary *part)
{
    const struct workload_report *w = report_of(p);
    const bool own = w->cumulative != NULL && w->cumulative(p->workload.self, part);
    if (!own && p->text && !p->settings->brief)
        print_summary(p, part);
    log_flush_stdout();
    return shows_all(p) && (!own || p->settings->layout_asked || isatty(STDOUT_FILENO) == 1);
}

/* The reporter thread wakes up a little late: the heading names the requested time. */
static int64_t checkpoint_label_ns(const struct settings *settings, int64_t at_ns)
{
    for (unsigned i = 0; i < settings->checkpoints; i++) {
        int64_t late_ns = at_ns - settings->checkpoint_ns[i];
        if (late_ns >= 0 && late_ns <= LATE_LABEL_NS)
            return settings->checkpoint_ns[i];
    }
    return at_ns;
}

void present_checkpoint(const struct presenter *p, const struct summary *part, int64_t at_ns)
{
    const struct report_format format = format_of(p);
    if (p->text)
        report_checkpoint_heading(stdout, checkpoint_label_ns(p->settings, at_ns));
    if (show_summary(p, part) && p->settings->rate > 0 && !p->settings->brief)
        report_times(stdout, &format, part);
    log_flush_stdout();
    if (p->json != NULL)
        report_json_checkpoint(p->json, part, at_ns);
    outputs_checkpoint(p->outputs, part, at_ns);
}

/* The result. */

/*
 * Programs that read the output of a closed loop without sessions through a pipe get exactly what
 * sysbench prints, unless --report asks for more.
 */
static bool shows_verdict(const struct settings *settings)
{
    return settings->layout_asked || settings->rate > 0 || settings->sessions.on ||
           isatty(STDOUT_FILENO);
}

/* A brief report has one line for objectives that were met. */
static void print_objectives(const struct slo_judgement *slo, bool brief)
{
    if (brief && slo->met)
        fputs("Objectives: met\n\n", stdout);
    else
        report_slo(stdout, slo);
}

static void print_slowest(const struct result *r)
{
    json_t *slowest = value_slowest(r->slowest, r->waits);
    report_slowest(stdout, slowest);
    json_decref(slowest);
}

static void print_plans(const struct plans *plans)
{
    json_t *value = value_plans(plans);
    report_plans(stdout, value);
    json_decref(value);
}

/* Prints the sections that sysbench does not have. */
static void print_judgement(const struct report_format *format, const struct result *r,
                            const struct judgement *j)
{
    const bool brief = r->settings->brief;
    if (r->settings->rate > 0 && !brief)
        report_requests(stdout, format, &r->total);
    if (shows_verdict(r->settings) && !brief)
        report_precision(stdout, &r->total.precision);
    if (brief || format->narrow)
        report_trust_once(stdout, r->settings, &j->trust, brief);
    else if (shows_verdict(r->settings))
        report_trust(stdout, r->settings, &j->trust);
    if (j->slo.slo->count > 0)
        print_objectives(&j->slo, brief);
    if (r->ranks != NULL && !brief)
        report_ranks(stdout, r->ranks);
    report_outages(stdout, &r->outages);
    if (shows_verdict(r->settings) && !brief)
        report_connects(stdout, &r->total.snapshot);
    report_staleness(stdout, &r->total.snapshot.staleness);
    if (r->waits != NULL && !brief)
        report_wait_events(stdout, r->waits);
    if (r->slowest != NULL && !brief)
        print_slowest(r);
    if (r->plans != NULL && !brief)
        print_plans(r->plans);
    if (r->watched && !brief)
        report_probes(stdout, &r->probed);
}

/* Prints the last lines of the report. */
static void print_headline(const struct result *r, const struct judgement *j)
{
    const struct headline headline = {.settings = r->settings,
                                      .total = &r->total,
                                      .verdict = &j->trust.verdict,
                                      .slo = &j->slo,
                                      .ranks = r->ranks,
                                      .interrupted = r->ending.why == END_SIGNAL,
                                      .until = r->ending.why == END_UNTIL};
    report_headline(stdout, &headline);
}

/* Programs that read the output of a closed loop expect no more messages than sysbench logs.
 * With --strict the findings explain the exit status, so they are logged; if the run was cut
 * short, the reason has been logged already. */
static void warn_of_findings(const struct result *r, const struct judgement *j)
{
    bool closed = r->settings->rate <= 0;
    if (!closed || (r->settings->strict && j->trust.evidence.cut == CUT_NONE))
        report_findings(&j->trust.verdict);
}

/* Logs the results of the judgement as warnings, for layouts that have no section for them. */
static void warn_of_judgement(const struct result *r, const struct judgement *j)
{
    report_bounds(r->settings, &r->part);
    warn_of_findings(r, j);
    report_missed(&j->slo);
}

/* Prints the text report; returns true if sections that sysbench does not have were printed,
 * too. */
static bool print_result(const struct presenter *p, const struct result *r,
                         const struct judgement *j)
{
    const struct report_format format = format_of(p);
    if (p->text && r->settings->histogram)
        report_histogram(stdout, &r->total.snapshot.metric[METRIC_RESPONSE]);
    const bool all = show_summary(p, &r->part);
    if (all)
        print_judgement(&format, r, j);
    log_flush_stdout();
    if (p->text && !all)
        warn_of_judgement(r, j);
    else if (p->text && !shows_verdict(r->settings))
        warn_of_findings(r, j);
    if (r->settings->rate > 0)
        report_conservation(&r->total);
    report_deferred_conservation(&r->total);
    report_session_conservation(&r->total);
    return all;
}

/* Warns if writes of a kind changed nothing, because the reported rate then overstates the work
 * that was done. */
static void warn_of_no_ops(const struct result *r)
{
    const struct effects *e = &r->total.snapshot.effects;
    const char *cause = r->no_op_cause;
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        if (effects_doubtful(e, kind))
            log_text(LOG_WARNING, "%.2f%% of the writes of kind %s changed nothing%s%s",
                     effects_no_op_percent(e, kind), write_kind_name(kind),
                     cause != NULL ? ": " : "", cause != NULL ? cause : "");
}

/* Warns if the run ended in its warm-up, because the figures, all 0, look like a result. */
static void warn_of_warm_up(const struct result *r)
{
    const struct snapshot *s = &r->total.snapshot;
    if (r->is_void || r->settings->warmup_ns == 0 || s->to_ns > s->from_ns)
        return;
    log_text(LOG_WARNING, "the run ended in its warm-up: nothing was measured%s",
             r->ending.why == END_EVENTS ? " (--events counts from the start of the warm-up)" : "");
}

static bool hook_failed(const struct presenter *p)
{
    const struct workload_report *w = report_of(p);
    return w->hook_failed != NULL && w->hook_failed(p->workload.self);
}

static void add_to_json(struct report_json *json, const struct result *r, const struct judgement *j,
                        int exit_code)
{
    report_json_outages(json, &r->outages);
    if (r->ranks != NULL)
        report_json_ranks(json, r->ranks);
    if (r->watched)
        report_json_probes(json, &r->probed);
    if (r->waits != NULL)
        report_json_waits(json, r->waits);
    if (r->plans != NULL)
        report_json_plans(json, r->plans);
    if (r->slowest != NULL)
        report_json_slowest(json, r->slowest, r->waits);
    report_json_trust(json, &j->trust);
    if (j->slo.slo->count > 0)
        report_json_slo(json, &j->slo);
    report_json_summary(json, &r->total, judgement_end_name(&r->ending), exit_code);
    if (r->phase_count > 0)
        report_json_phases(json, r->settings, r->phases, r->phase_count);
    if (r->idle.wanted > 0)
        report_json_idle(json, &r->idle);
    if (r->injection_count > 0)
        report_json_injections(json, r->settings, r->injections, r->injection_count);
}

/* Collects the workload's remarks on the result and judges its audit. Returns false if there are
 * no remarks. */
static bool take_remarks(const struct presenter *p, const struct result *r, struct judgement *j,
                         struct remarks *remarks)
{
    const struct workload_report *w = report_of(p);
    if (r->is_void || w->remarks == NULL || !w->remarks(p->workload.self, &r->total, remarks))
        return false;
    tally_audit(remarks, r->total.snapshot.tallies);
    judgement_add_remarks(j, r->settings, remarks);
    return true;
}

int present_result(const struct presenter *p, const struct result *result,
                   const struct judgement *given)
{
    struct remarks remarks;
    struct judgement with_remarks = *given;
    const struct judgement *judgement = &with_remarks;
    const bool remarked = take_remarks(p, result, &with_remarks, &remarks);
    const bool all = result->is_void ? shows_all(p) : print_result(p, result, judgement);
    if (remarked && all && !p->settings->brief)
        report_remarks(stdout, &remarks);
    bool presented = log_stdout_error() == 0;
    warn_of_no_ops(result);
    warn_of_warm_up(result);
    if (outputs_finish(p->outputs, &result->total.snapshot) != 0 || hook_failed(p))
        presented = false;
    int code = judgement_exit_code(judgement, presented);
    if (all && result->phase_count > 0 && !p->settings->brief && !result->is_void)
        report_phases(stdout, result->settings, result->phases, result->phase_count);
    if (all)
        report_idle(stdout, &result->idle);
    if (all && result->injection_count > 0)
        report_injections(stdout, result->settings, result->injections, result->injection_count,
                          result->ranks != NULL);
    if (all && shows_verdict(p->settings) && !result->is_void)
        print_headline(result, judgement);
    log_flush_stdout();
    if (p->json != NULL && remarked)
        report_json_remarks(p->json, &remarks);
    if (p->json != NULL)
        add_to_json(p->json, result, judgement, code);
    return code;
}

/* Files. */

static void add_warning(void *json, const char *text)
{
    report_json_warning(json, text);
}

/* Writes the JSON report to its file, and as a line after the intervals on standard output. */
static int write_json(const struct presenter *p)
{
    if (p->json == NULL)
        return 0;
    log_each_warning(add_warning, p->json);
    if (p->settings->report_format == REPORT_FORMAT_JSON)
        report_json_print_line(p->json, stdout);
    return p->settings->json_path != NULL ? report_json_write(p->json, p->settings->json_path) : 0;
}

int present_files(const struct presenter *p)
{
    const char *html_path = p->settings->html_path;
    int status = write_json(p);
    if (html_path != NULL && html_write_report(html_path, p->json) != 0)
        status = -1;
    return status;
}

int present_failure(const struct presenter *p)
{
    return write_json(p);
}
