/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals and checkpoints are converted to text at once, one line each: as text, a day of
 * one-second intervals takes a tenth of the memory of a tree of JSON values.
 */
#include "report/json/report_json.h"

#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "options/percentiles.h"
#include "report/json/effects_json.h"
#include "report/json/report_json_value.h"
#include "report/json/figures.h"
#include "report/text/report_text.h"
#include "result/lateness.h"

/* A growing text. */
struct text {
    FILE *stream;
    char *data;
    size_t bytes;
};

struct report_json {
    const struct settings *settings;
    json_t *head;   /* members in front of the intervals */
    json_t *config; /* borrowed: a member of head */
    struct text intervals, checkpoints, summary;
    json_t *trust, *slo, *remarks; /* NULL unless set; become members of the summary */
    json_t *tail;                  /* members after the summary */
};

static void text_init(struct text *t)
{
    *t = (struct text){0};
    t->stream = checked_alloc(open_memstream(&t->data, &t->bytes));
}

static void text_fini(struct text *t)
{
    fclose(t->stream);
    free(t->data);
}

/* Appends `value` as a line, after a comma unless it is the first one. Takes ownership of
 * `value`. */
static void text_add(struct text *t, json_t *value)
{
    fputs(ftell(t->stream) > 0 ? ",\n" : "", t->stream);
    if (json_dumpf(value, t->stream, REPORT_JSON_FLAGS) != 0 || ferror(t->stream))
        checked_alloc(NULL);
    json_decref(value);
}

/* Returns a description of the machine on which this program runs. */
static json_t *value_client(void)
{
    json_t *client = value_object();
    struct utsname names;
    bool known = uname(&names) == 0;
    value_set(client, "host", value_text(known ? names.nodename : NULL));
    value_set(client, "kernel", value_text(known ? names.release : NULL));
    value_set(client, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    return client;
}

struct report_json *report_json_create(const struct report_json_run *run,
                                       const struct settings *settings)
{
    struct report_json *json = xcalloc(1, sizeof(*json));
    json_t *tool = value_object();

    json->settings = settings;
    text_init(&json->intervals);
    text_init(&json->checkpoints);
    text_init(&json->summary);
    value_set(tool, "name", value_text("sysrate"));
    value_set(tool, "version", value_text(run->version));
    json->head = value_object();
    value_set(json->head, "schema", json_integer(REPORT_JSON_SCHEMA));
    value_set(json->head, "tool", tool);
    value_set(json->head, "test", value_text(run->test));
    value_set(json->head, "command", value_text(run->command));
    value_set(json->head, "started", value_text(run->started));
    value_set(json->head, "client", value_client());
    json->config = value_object();
    value_set(json->head, "config", json->config);
    json->tail = value_object();
    value_set(json->tail, "warnings", value_array());
    return json;
}

void report_json_destroy(struct report_json *json)
{
    if (json == NULL)
        return;
    text_fini(&json->intervals);
    text_fini(&json->checkpoints);
    text_fini(&json->summary);
    json_decref(json->head);
    json_decref(json->trust);
    json_decref(json->slo);
    json_decref(json->remarks);
    json_decref(json->tail);
    free(json);
}

void report_json_config(struct report_json *json, const char *name, const struct option_spec *row,
                        const struct option_value *value)
{
    if (option_is_secret(name))
        return;
    char *key = xstrdup(name);
    for (char *c = key; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    /* Names of options are usually ASCII. A name that is not UTF-8 cannot be a key in JSON. */
    if (json_object_set_new(json->config, key, checked_alloc(value_option(row, value))) != 0)
        log_text(LOG_WARNING, "option %s: not in the JSON report, which cannot hold this name",
                 name);
    free(key);
}

static void add_totals(json_t *object, const char *times, const char *failed,
                       const struct connect_totals *totals)
{
    static const int64_t percentile[] = {50 * PERCENT, 95 * PERCENT, 99 * PERCENT};
    value_set(object, times,
              value_distribution(&totals->time, NS_PER_MS, percentile, ARRAY_SIZE(percentile)));
    value_set(object, failed, value_count(totals->failed));
}

/* Adds the response time and, at an arrival rate, the wait, service time and generator lag. */
static void add_times(json_t *object, const struct settings *settings, const struct snapshot *s)
{
    static const int64_t lag_percentile[] = {50 * PERCENT, 99 * PERCENT};
    const bool waits = settings->rate > 0 || settings->terminals;
    const struct {
        const char *name;
        enum metric metric;
        bool is_there;
    } row[] = {
        {"response_ms", METRIC_RESPONSE, true},
        {"wait_ms", METRIC_WAIT, waits},
        /* Only workers that share connections wait for one. */
        {"connection_wait_ms", METRIC_CONNECTION_WAIT, s->metric[METRIC_CONNECTION_WAIT].count > 0},
        {"service_ms", METRIC_SERVICE, waits},
        {"session_ms", METRIC_SESSION, settings->sessions.on},
    };

    for (unsigned i = 0; i < ARRAY_SIZE(row); i++)
        if (row[i].is_there)
            value_set(object, row[i].name,
                      value_distribution(&s->metric[row[i].metric], NS_PER_MS, settings->percentile,
                                         settings->percentiles));
    if (settings->rate > 0)
        value_set(
            object, "generator_lag_us",
            value_distribution(&s->lag, NS_PER_US, lag_percentile, ARRAY_SIZE(lag_percentile)));
    /* A test without a database has no times to connect. */
    if (s->connects.time.count > 0 || s->connects.failed > 0)
        add_totals(object, "connect_ms", "connects_failed", &s->connects);
    if (settings->staleness_ns > 0)
        add_totals(object, "staleness_ms", "staleness_unanswered", &s->staleness);
}

/* Adds the effects of the policy of the clients. */
static void add_policy(json_t *object, const struct settings *settings, const struct snapshot *s,
                       int64_t span_ns)
{
    const uint64_t *c = s->counter;
    const uint64_t ended = c[COUNTER_EVENT] + c[COUNTER_FAILED];
    const uint64_t attempts = ended + c[COUNTER_RETRY];
    if (!settings->policy.on)
        return;
    /* Without requests, these ratios are 0/0, which is written as null. */
    const double requests = (double)ended;
    json_t *policy = value_object();
    value_set(policy, "goodput_per_s", value_real(report_rate(counter_good(c), span_ns)));
    value_set(policy, "attempts_per_request", value_real((double)attempts / requests));
    value_set(policy, "load_amplification",
              value_real(((double)attempts - (double)c[COUNTER_UNSENT]) / requests));
    value_set(policy, "lost_s", value_real(ns_to_seconds((int64_t)c[COUNTER_LOST_NS])));
    value_set(object, "policy", policy);
}

static json_t *value_little(struct little little)
{
    json_t *object = value_object();
    figures_write(object, figures_of_little, &little);
    return object;
}

json_t *report_json_interval_value(const struct settings *settings, const struct interval *interval)
{
    const struct snapshot *s = &interval->snapshot;
    const int64_t span_ns = s->to_ns - s->from_ns;
    const uint64_t completed = s->counter[COUNTER_EVENT];
    json_t *object = value_object();

    figures_write(object, figures_of_span, s);
    value_set(object, "seconds", value_real(ns_to_seconds(span_ns)));
    value_set(object, "warmup", json_boolean(interval->warmup));
    value_set(object, "workers", json_integer(interval->threads_running));
    value_set(object, "completed", value_count(completed));
    value_set(object, "completed_per_s", value_real(report_rate(completed, span_ns)));
    value_set(object, "failed", value_count(s->counter[COUNTER_FAILED]));
    if (settings->rate > 0) {
        value_set(object, "offered", value_count(s->offered));
        value_set(object, "offered_per_s", value_real(report_rate(s->offered, span_ns)));
        value_set(object, "asked_per_s", value_real(interval->asked_per_s));
        value_set(object, "dropped", value_count(s->dropped));
        value_set(object, "in_system",
                  value_little((struct little){interval->in_system, interval->in_system_by_law,
                                               interval->in_system_error}));
        figures_write(object, figures_of_timed_interval, interval);
    }
    if (settings->sessions.on) {
        value_set(object, "sessions_in_progress", value_count(interval->sessions));
        value_set(object, "sessions_ended", value_count(s->metric[METRIC_SESSION].count));
    }
    if (settings->idle_connections > 0)
        value_set(object, "idle_connections", value_count(interval->idle_open));
    value_set(object, "counters", value_counters(s->counter));
    add_policy(object, settings, s, span_ns);
    add_times(object, settings, s);
    value_set(object, "response_histogram", value_heat(&s->metric[METRIC_RESPONSE]));
    if (interval->probes != NULL)
        value_set(object, "probes", value_probe_figures(interval->probes));
    if (interval->waits.names != NULL)
        value_set(object, "wait_events", value_interval_waits(&interval->waits));
    value_set(object, "effects", value_effects(&s->effects));
    value_set(object, "no_op_writes", value_count(effects_no_ops(&s->effects, WRITE_KINDS)));
    if (s->qualities->count > 0)
        value_set(object, "quality", value_qualities(s->qualities));
    if (s->targets->count > 0)
        value_set(object, "hosts", value_targets(s->targets, settings, span_ns, false));
    if (s->types->count > 0)
        value_set(object, "event_types", value_event_types(s->types, settings, span_ns, false));
    if (s->deferred->count > 0)
        value_set(object, "deferred", value_deferred(s->deferred, settings, span_ns, false));
    if (s->operations->classes > 0)
        value_set(
            object, "statements",
            value_operations(s->operations, settings->percentile, settings->percentiles, false));
    if (interval->ranks > 0)
        value_set(object, "ranks", value_interval_ranks(interval, settings));
    return object;
}

void report_json_probes(struct report_json *json, const struct probe_report *report)
{
    value_set(json->head, "probes", value_probes(report));
}

void report_json_setting(struct report_json *json, const char *name, const char *value)
{
    json_t *settings = json_object_get(json->head, "server_config");
    if (settings == NULL) {
        settings = value_object();
        value_set(json->head, "server_config", settings);
    }
    value_set(settings, name, value_text(value));
}

void report_json_add_interval(struct report_json *json, json_t *value)
{
    text_add(&json->intervals, value);
}

/* Returns the requests of one part of the run. Requests in flight at the end of the part belong
 * to the next part, so there is no "unfinished". */
static json_t *part_requests(const struct snapshot *s)
{
    const struct requests requests = {.offered = s->offered,
                                      .completed = s->counter[COUNTER_EVENT],
                                      .failed = s->counter[COUNTER_FAILED],
                                      .dropped = s->dropped};
    json_t *object = value_object();
    figures_write(object, figures_of_requests, &requests);
    return object;
}

static json_t *run_requests(const struct requests *r)
{
    json_t *object = value_requests(r);
    figures_write(object, figures_of_unfinished, r);
    if (r->terminals > 0)
        value_set(object, "terminals", value_count(r->terminals));
    return object;
}

static void add_sessions(json_t *object, const struct settings *settings, const struct requests *r)
{
    if (!settings->sessions.on)
        return;
    json_t *sessions = value_object();
    figures_write(sessions, figures_of_sessions, r);
    value_set(object, "sessions", sessions);
}

static json_t *value_fairness(const struct fairness *f)
{
    json_t *object = value_object(), *events = value_object(), *seconds = value_object();
    figures_write(events, figures_of_fair_events, f);
    figures_write(seconds, figures_of_fair_seconds, f);
    value_set(object, "events", events);
    value_set(object, "seconds", seconds);
    return object;
}

/* Adds the members that a summary and a checkpoint have in common; takes ownership of
 * `requests`. */
static void add_summary(json_t *object, const struct settings *settings,
                        const struct summary *summary, json_t *requests)
{
    const struct snapshot *s = &summary->snapshot;

    figures_write(object, figures_of_span, s);
    value_set(object, "elapsed_s", value_real(ns_to_seconds(summary->elapsed_ns)));
    value_set(object, "requests", requests);
    value_set(object, "completed_per_s",
              value_real(report_rate(s->counter[COUNTER_EVENT], summary->elapsed_ns)));
    value_set(object, "counters", value_counters(s->counter));
    add_policy(object, settings, s, summary->elapsed_ns);
    add_times(object, settings, s);
    value_set(object, "fairness", value_fairness(&summary->fairness));
    value_set(object, "effects", value_effects(&s->effects));
    value_set(object, "no_op_writes", value_count(effects_no_ops(&s->effects, WRITE_KINDS)));
    if (summary->no_op_cause != NULL)
        value_set(object, "no_op_cause", value_text(summary->no_op_cause));
    if (s->qualities->count > 0)
        value_set(object, "quality", value_qualities(s->qualities));
    if (s->targets->count > 0)
        value_set(object, "hosts", value_targets(s->targets, settings, summary->elapsed_ns, true));
    if (s->types->count > 0)
        value_set(object, "event_types",
                  value_event_types(s->types, settings, summary->elapsed_ns, true));
    if (s->deferred->count > 0)
        value_set(object, "deferred",
                  value_deferred(s->deferred, settings, summary->elapsed_ns, true));
    value_set(object, "errors", value_errors(s->operations));
    value_set(object, "statements",
              value_operations(s->operations, settings->percentile, settings->percentiles, true));
    value_set(object, "histogram", value_histograms(s));
}

void report_json_checkpoint(struct report_json *json, const struct summary *summary, int64_t at_ns)
{
    json_t *object = value_object();
    value_set(object, "at_s", value_real(ns_to_seconds(at_ns)));
    add_summary(object, json->settings, summary, part_requests(&summary->snapshot));
    text_add(&json->checkpoints, object);
}

static json_t *value_episode(const struct episode *e)
{
    json_t *object = value_object();
    value_set(object, "from_s", value_real(ns_to_seconds(e->from_ns)));
    value_set(object, "to_s", value_real(ns_to_seconds(e->to_ns)));
    value_set(object, "load", value_real(e->load));
    value_set(object, "asked_per_s", value_real(e->asked_per_s));
    value_set(object, "asked_otherwise_per_s", value_real(e->rest_asked_per_s));
    value_set(object, "service_ms", value_real(e->service_ns / NS_PER_MS));
    value_set(object, "service_otherwise_ms", value_real(e->rest_service_ns / NS_PER_MS));
    return object;
}

static void add_episodes(json_t *object, const struct verdict *verdict)
{
    json_t *array = value_array();
    for (unsigned i = 0; i < verdict->episodes.count; i++)
        value_append(array, value_episode(&verdict->episodes.list[i]));
    value_set(object, "overload_episodes", array);
    if (verdict->remark[0] != '\0')
        value_set(object, "remark", value_text(verdict->remark));
    if (verdict->plans[0] != '\0')
        value_set(object, "plan_remark", value_text(verdict->plans));
}

json_t *value_verdict(const struct verdict *verdict)
{
    json_t *object = value_object(), *findings = value_array();
    for (unsigned i = 0; i < verdict->count; i++) {
        json_t *finding = value_object();
        value_set(finding, "name", value_text(verdict->finding[i].name));
        value_set(finding, "figure", value_text(verdict->finding[i].figure));
        value_set(finding, "advice", value_text(verdict->finding[i].advice));
        value_append(findings, finding);
    }
    value_set(object, "valid", json_boolean(verdict->count == 0));
    value_set(object, "findings", findings);
    add_episodes(object, verdict);
    return object;
}

static json_t *value_lateness(const struct snapshot *s)
{
    json_t *object = value_object();
    value_set(object, "p50", value_real(ns_to_ms(lateness_ns(s, 50 * PERCENT))));
    value_set(object, "p99", value_real(ns_to_ms(lateness_ns(s, 99 * PERCENT))));
    return object;
}

/* Adds the indices of dispersion that are known, by the length of their windows in seconds. */
static void add_dispersion(json_t *object, const double *dispersion)
{
    static const char *const scale[] = {"0.1", "1", "10"};
    if (dispersion[0] == 0)
        return;
    json_t *by_scale = json_object();
    for (size_t i = 0; i < ARRAY_SIZE(scale); i++)
        if (dispersion[i] > 0)
            value_set(by_scale, scale[i], value_real(dispersion[i]));
    value_set(object, "arrival_dispersion", by_scale);
}

/* Adds the members that exist at an arrival rate only. */
static void add_arrivals(json_t *object, const struct trust *trust)
{
    const struct evidence *e = &trust->evidence;
    figures_write(object, figures_of_generator, e);
    value_set(object, "lateness_ms", value_lateness(&e->summary->snapshot));
    value_set(object, "gap_distance", value_real(e->goodness));
    value_set(object, "gap_distance_critical",
              trust->verdict.ks_critical > 0 ? value_real(trust->verdict.ks_critical)
                                             : json_null());
    value_set(object, "gaps", value_count(e->gaps));
    add_dispersion(object, e->dispersion);
    value_set(object, "in_system", value_little(trust->little));
}

void report_json_trust(struct report_json *json, const struct trust *trust)
{
    const struct evidence *e = &trust->evidence;
    json_t *object = value_object();
    value_set(object, "verdict", value_verdict(&trust->verdict));
    figures_write(object, figures_of_client, e);
    if (json->settings->rate > 0)
        add_arrivals(object, trust);
    json->trust = object;
}

static json_t *value_objective(const struct slo_objective *objective,
                               const struct slo_figure *figure)
{
    json_t *object = value_object();
    value_set(object, "objective", value_text(objective->text));
    value_set(object, "limit", value_real(objective->limit));
    value_set(object, "figure", figure->known ? value_real(figure->value) : json_null());
    value_set(object, "unit", value_text(slo_unit(objective)));
    value_set(object, "censored", json_boolean(figure->lower_bound));
    value_set(object, "met", json_boolean(figure->met));
    return object;
}

void report_json_slo(struct report_json *json, const struct slo_judgement *judgement)
{
    json_t *objectives = value_array();
    for (unsigned i = 0; i < judgement->slo->count; i++)
        value_append(objectives,
                     value_objective(&judgement->slo->objective[i], &judgement->figure[i]));
    json->slo = value_object();
    value_set(json->slo, "met", json_boolean(judgement->met));
    value_set(json->slo, "objectives", objectives);
}

void report_json_remarks(struct report_json *json, const struct remarks *remarks)
{
    json->remarks = value_remarks(remarks);
}

/* Returns the goals of --until, and what was reached at the last look. */
static json_t *value_until(const struct until *until, const struct precision *precision)
{
    json_t *goals = value_array();
    for (unsigned i = 0; i < until->count; i++) {
        char name[UNTIL_NAME_BYTES];
        json_t *goal = value_object();
        value_set(goal, "figure", value_text(until_name(&until->goal[i], name)));
        value_set(goal, "asked_percent", value_real(100 * until->goal[i].precision));
        value_set(goal, "reached_percent", value_real(100 * precision->reached[i]));
        value_append(goals, goal);
    }
    return goals;
}

void report_json_summary(struct report_json *json, const struct summary *summary, const char *end,
                         int exit_code)
{
    json_t *object = value_object();
    value_set(object, "end", value_text(end));
    value_set(object, "exit_code", json_integer(exit_code));
    add_summary(object, json->settings, summary, run_requests(&summary->requests));
    add_sessions(object, json->settings, &summary->requests);
    if (summary->precision.batches > 0)
        value_set(object, "precision", value_precision(&summary->precision));
    if (summary->precision.goals > 0)
        value_set(object, "until", value_until(&json->settings->until, &summary->precision));
    if (json->trust != NULL)
        value_set(object, "audit", json->trust);
    if (json->slo != NULL)
        value_set(object, "slo", json->slo);
    if (json->remarks != NULL)
        value_set(object, "remarks", json->remarks);
    json->trust = json->slo = json->remarks = NULL;
    text_add(&json->summary, object);
}

void report_json_add_head(struct report_json *json, const char *name, json_t *value)
{
    value_set(json->head, name, value);
}

void report_json_add_config(struct report_json *json, const char *name, json_t *value)
{
    value_set(json->config, name, value);
}

void report_json_add(struct report_json *json, const char *name, json_t *value)
{
    value_set(json->tail, name, value);
}

void report_json_mark(struct report_json *json, int64_t from_ns, int64_t to_ns, const char *text)
{
    json_t *mark = value_object();
    value_set(mark, "from_s", value_real(ns_to_seconds(from_ns)));
    value_set(mark, "to_s", value_real(ns_to_seconds(to_ns)));
    value_set(mark, "text", value_text(text));
    if (json_object_get(json->tail, "marks") == NULL)
        value_set(json->tail, "marks", value_array());
    value_append(json_object_get(json->tail, "marks"), mark);
}

void report_json_warning(struct report_json *json, const char *text)
{
    value_append(json_object_get(json->tail, "warnings"), value_text(text));
}

static void print_members(const json_t *object, FILE *out)
{
    if (json_dumpf(object, out, REPORT_JSON_FLAGS | JSON_EMBED) != 0 && !ferror(out))
        checked_alloc(NULL);
}

static void print_list(const char *name, const struct text *values, FILE *out)
{
    fflush(values->stream);
    fprintf(out, ",\n\"%s\":[\n", name);
    fwrite(values->data, 1, values->bytes, out);
    fputs("\n]", out);
}

static void print_document(const struct report_json *json, bool with_intervals, FILE *out)
{
    fputs("{", out);
    print_members(json->head, out);
    if (with_intervals)
        print_list("intervals", &json->intervals, out);
    print_list("checkpoints", &json->checkpoints, out);
    fflush(json->summary.stream);
    fprintf(out, ",\n\"summary\":%s,\n", json->summary.bytes > 0 ? json->summary.data : "{}");
    print_members(json->tail, out);
    fputs("}\n", out);
}

void report_json_print(const struct report_json *json, FILE *out)
{
    print_document(json, true, out);
}

/* Removes the line ends from the document. Strings in JSON contain escapes instead of line ends,
 * so they do not change. */
void report_json_print_line(const struct report_json *json, FILE *out)
{
    struct text text;
    text_init(&text);
    print_document(json, false, text.stream);
    fflush(text.stream);
    for (char *rest = text.data, *line; (line = strsep(&rest, "\n")) != NULL;)
        fputs(line, out);
    fputs("\n", out);
    text_fini(&text);
}

int report_json_write(const struct report_json *json, const char *path)
{
    struct outfile file;
    if (outfile_open(&file, path) != 0)
        return -1;
    report_json_print(json, file.stream);
    return outfile_commit(&file);
}
