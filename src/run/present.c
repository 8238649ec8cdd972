/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/present.h"

#include "base/clock.h"
#include "base/log.h"
#include "document/html.h"
#include "report/report_probe.h"

/* A checkpoint that is later than this is named by its real time. */
#define LATE_LABEL_NS (NS_PER_SEC / 10)

struct presenter presenter_of(const struct settings *settings, struct workload workload,
                              struct report_json *json, struct outputs *outputs)
{
    return (struct presenter){.settings = settings,
                              .workload = workload,
                              .text = log_enabled(LOG_NOTICE),
                              .json = json,
                              .outputs = outputs};
}

/* Asked for each time: a workload may begin to count statements at any moment. */
static struct report_format format_of(const struct presenter *p)
{
    struct report_format format = {.settings = p->settings};

    if (p->workload.appearance != NULL)
        p->workload.appearance->set_presentation(p->workload.self, &format.workload);
    return format;
}

void present_header(const struct presenter *p)
{
    const struct workload_appearance *appearance = p->workload.appearance;
    if (!p->text)
        return;
    report_header(stdout, p->settings);
    if (appearance != NULL && appearance->print_mode != NULL)
        appearance->print_mode(p->workload.self, stdout);
}

/* Text besides the sections that sysbench has. */
static bool shows_all(const struct presenter *p)
{
    return p->text && p->settings->layout == LAYOUT_FULL;
}

/* While the run goes on. */

/* The built-in text, or the workload's own in its place. */
static void show_interval(const struct presenter *p, const struct interval *interval)
{
    const struct workload *w = &p->workload;
    const struct report_format format = format_of(p);
    if (report_leaves_out(p->settings, interval))
        return;
    bool own = w->hooks != NULL && w->hooks->intermediate(w->self, interval);
    if (!own && p->text)
        report_interval(stdout, &format, interval);
    log_flush_stdout();
}

void present_interval(const struct presenter *p, const struct interval *interval)
{
    show_interval(p, interval);
    if (p->json != NULL)
        report_json_interval(p->json, interval);
    outputs_interval(p->outputs, interval);
}

bool present_wants_end(const struct presenter *p)
{
    const struct workload *w = &p->workload;
    return w->hooks != NULL && w->hooks->wants_end != NULL && w->hooks->wants_end(w->self);
}

static void print_summary(const struct presenter *p, const struct summary *part)
{
    const struct report_format format = format_of(p);
    report_summary(stdout, &format, part);
    if (!shows_all(p))
        return;
    report_operations(stdout, &format, part);
    report_effects(stdout, part);
    report_targets(stdout, &format, part);
}

static void show_summary(const struct presenter *p, const struct summary *part)
{
    const struct workload *w = &p->workload;
    bool own = w->hooks != NULL && w->hooks->cumulative(w->self, part);
    if (!own && p->text)
        print_summary(p, part);
    log_flush_stdout();
}

/* The reporter is woken a little late: the heading names the moment that was asked for. */
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
    show_summary(p, part);
    if (shows_all(p) && p->settings->rate > 0)
        report_times(stdout, &format, part);
    log_flush_stdout();
    if (p->json != NULL)
        report_json_checkpoint(p->json, part, at_ns);
}

/* The result. */

/* What sysbench does not have. */
static void print_judgement(const struct report_format *format, const struct result *r,
                            const struct judgement *j)
{
    if (r->settings->rate > 0)
        report_requests(stdout, format, &r->total);
    if (r->settings->rate > 0)
        report_trust(stdout, &j->trust);
    if (j->slo.slo->count > 0)
        report_slo(stdout, &j->slo);
    report_outages(stdout, &r->outages);
    if (r->watched)
        report_probes(stdout, &r->probed);
}

/* What must be known where there is no room to print it. */
static void warn_of_judgement(const struct result *r, const struct judgement *j)
{
    report_bounds(r->settings, &r->part);
    if (r->settings->rate > 0)
        report_findings(&j->trust.verdict);
    report_missed(&j->slo);
}

static void print_result(const struct presenter *p, const struct result *r,
                         const struct judgement *j)
{
    const struct report_format format = format_of(p);
    if (p->text && r->settings->histogram)
        report_histogram(stdout, &r->total.snapshot.metric[METRIC_RESPONSE]);
    show_summary(p, &r->part);
    if (shows_all(p))
        print_judgement(&format, r, j);
    log_flush_stdout();
    if (p->text && !shows_all(p))
        warn_of_judgement(r, j);
    if (r->settings->rate > 0)
        report_conservation(&r->total);
}

/* A rate made of writes that change nothing must not pass for one. */
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

static bool hook_failed(const struct workload *w)
{
    return w->hooks != NULL && w->hooks->failed(w->self);
}

static void add_to_json(struct report_json *json, const struct result *r, const struct judgement *j,
                        int exit_code)
{
    report_json_outages(json, &r->outages);
    if (r->watched)
        report_json_probes(json, &r->probed);
    if (r->settings->rate > 0)
        report_json_trust(json, &j->trust);
    if (j->slo.slo->count > 0)
        report_json_slo(json, &j->slo);
    report_json_summary(json, &r->total, judgement_end_name(&r->ending), exit_code);
    if (r->injection_count > 0)
        report_json_injections(json, r->settings, r->injections, r->injection_count);
}

int present_result(const struct presenter *p, const struct result *result,
                   const struct judgement *judgement)
{
    print_result(p, result, judgement);
    bool presented = log_stdout_error() == 0;
    warn_of_no_ops(result);
    if (outputs_finish(p->outputs, &result->total.snapshot) != 0 || hook_failed(&p->workload))
        presented = false;
    int code = judgement_exit_code(judgement, presented);
    if (shows_all(p) && result->injection_count > 0)
        report_injections(stdout, result->settings, result->injections, result->injection_count);
    log_flush_stdout();
    if (p->json != NULL)
        add_to_json(p->json, result, judgement, code);
    return code;
}

/* Files. */

static void add_warning(void *json, const char *text)
{
    report_json_warning(json, text);
}

/* To the file and behind the intervals on standard output. */
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
