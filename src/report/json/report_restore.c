/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json/report_restore.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "options/percentiles.h"
#include "report/json/effects_json.h"
#include "report/json/report_json_value.h"
#include "report/json/figures.h"
#include "report/json/waits_json.h"
#include "report/text/interval_column.h"

static double number_at(const json_t *value, const char *path)
{
    return json_number_value(interval_value(value, path));
}

static uint64_t count_at(const json_t *value, const char *path)
{
    return figure_count(interval_value(value, path));
}

/* Returns NULL if there is no string at `path`. */
static const char *text_at(const json_t *value, const char *path)
{
    return json_string_value(interval_value(value, path));
}

/* Settings. */

static void restore_percentiles(struct settings *s, const json_t *percentiles)
{
    const char *name;
    json_t *entry;
    json_object_foreach((json_t *)percentiles, name, entry)
    {
        const int64_t percentile = percentile_of_label(name);
        if (s->percentiles < MAX_PERCENTILES && percentile > 0)
            s->percentile[s->percentiles++] = percentile;
    }
}

/* Returns the number of runs, one after the other, that the report combines. */
static double runs_in(const struct report_document *document)
{
    const size_t repeats = json_array_size(json_object_get(document->head, "repeats"));
    return repeats > 1 ? (double)repeats : 1;
}

/* Returns the time in seconds during which requests arrived: the planned time, or the time until
 * the end of the run if the run ended earlier or had no planned time. */
static double arrivals_s(const struct report_document *document)
{
    const double time_s = number_at(document->head, "config/time") * runs_in(document),
                 elapsed_s = number_at(document->head, "summary/elapsed_s");
    return time_s > 0 ? fmin(time_s, elapsed_s) : elapsed_s;
}

/* Restores a rate that changes during the run. If its profile is not known, the mean rate is
 * that of the offered requests. */
static void restore_profile(struct settings *s, const struct report_document *document)
{
    const json_t *rate = interval_value(document->head, "config/rate");
    const double elapsed_s = number_at(document->head, "summary/elapsed_s"),
                 runs = runs_in(document);
    s->rate_changes = true;
    if (json_is_string(rate))
        rate_profile_parse(&s->arrivals.profile, json_string_value(rate));
    s->rate = elapsed_s > 0 ? number_at(document->head, "summary/requests/offered") / elapsed_s : 1;
    if (runs == 1)
        return;
    s->rate = arrival_plan_mean_between(&s->arrivals,
                                        seconds_to_ns(number_at(document->head, "summary/from_s")),
                                        seconds_to_ns(arrivals_s(document) / runs), s->rate);
    rate_profile_fini(&s->arrivals.profile);
}

/* Reduces the rate to the share of this rank (--node) in the requested arrivals. */
static void restore_rank(struct settings *s, const json_t *node)
{
    struct rank rank;
    if (!json_is_string(node) || rank_parse(&rank, json_string_value(node)) != NULL ||
        rank_is_alone(&rank) || s->threads < rank.count)
        return;
    s->rank = rank_of(rank.number, rank.count, s->threads);
    s->rate *= rank_share(&s->rank);
    s->arrivals.elsewhere = 1 - rank_share(&s->rank);
}

static void restore_settings(struct settings *s, const struct report_document *document)
{
    const json_t *config = json_object_get(document->head, "config");
    const json_t *summary = json_object_get(document->head, "summary");
    s->threads = (int64_t)count_at(config, "threads");
    s->rate = json_number_value(json_object_get(config, "rate"));
    restore_rank(s, json_object_get(config, "node"));
    client_policy_restore(&s->policy, json_number_value(json_object_get(config, "timeout")),
                          json_string_value(json_object_get(config, "retry")));
    s->sessions.on = json_object_get(summary, "sessions") != NULL;
    s->terminals = s->sessions.on || count_at(summary, "requests/terminals") > 0;
    if (json_object_get(summary, "wait_ms") != NULL && !(s->rate > 0) && !s->terminals)
        restore_profile(s, document);
    if (json_is_string(json_object_get(config, "arrival_trace")))
        s->arrivals.kind = ARRIVAL_TRACE;
    restore_percentiles(s, interval_value(summary, "response_ms/percentiles"));
}

/* Distributions. */

static void add_pairs(uint64_t *buckets, const json_t *pairs)
{
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair)
    {
        const json_int_t lower_ns = json_integer_value(json_array_get(pair, 0));
        buckets[histogram_index(lower_ns)] += count_at(pair, "1");
    }
}

static unsigned __int128 sum_at(const json_t *sums, const char *path)
{
    const json_t *value = interval_value(sums, path);
    if (json_is_real(value))
        return (unsigned __int128)fmin(fmax(0, json_real_value(value)), 0x1p126);
    return count_at(sums, path);
}

static uint64_t total_of(const uint64_t *buckets)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        sum += buckets[i];
    return sum;
}

/* lowest_ns() returns the end of the first bucket in use, highest_ns() the beginning of the last
 * one. At least one bucket must be in use. */
static int64_t lowest_ns(const uint64_t *buckets)
{
    unsigned i = 0;
    while (buckets[i] == 0)
        i++;
    return histogram_lower_ns(i + 1) - 1;
}

static int64_t highest_ns(const uint64_t *buckets)
{
    unsigned i = HISTOGRAM_BUCKETS - 1;
    while (buckets[i] == 0)
        i--;
    return histogram_lower_ns(i);
}

/* The count is the sum of the buckets, so the two cannot disagree in a damaged report. */
static void restore_observed(struct distribution *d, const json_t *pairs, const json_t *sums)
{
    add_pairs(d->buckets, pairs);
    d->count = total_of(d->buckets);
    d->sum_ns = sum_at(sums, "sum_ns");
    if (d->count == 0)
        return;
    d->min_ns = min_i64((int64_t)count_at(sums, "min_ns"), lowest_ns(d->buckets));
    d->max_ns = max_i64((int64_t)count_at(sums, "max_ns"), highest_ns(d->buckets));
}

static void restore_censored(struct distribution *d, const json_t *pairs, const json_t *sums)
{
    if (json_array_size(pairs) == 0)
        return;
    add_pairs(distribution_bounds(d), pairs);
    d->censored = total_of(d->censored_buckets);
    d->censored_sum_ns = sum_at(sums, "censored_sum_ns");
    d->censored_max_ns = (int64_t)count_at(sums, "censored_max_ns");
}

static void restore_time(struct distribution *d, const json_t *histogram, enum figure_time time)
{
    const char *name = figure_time_name(time);
    const json_t *sums = json_object_get(json_object_get(histogram, "sums"), name);
    restore_observed(d, json_object_get(histogram, name), sums);
    restore_censored(d, json_object_get(json_object_get(histogram, "censored"), name), sums);
}

static void restore_metrics(struct snapshot *s, const json_t *histogram)
{
    for (unsigned i = 0; i < FIGURE_TIMES; i++)
        restore_time(figure_distribution(s, i), histogram, i);
}

/* Counts. */

static void restore_counters(uint64_t counter[COUNTER_TYPES], const json_t *counters)
{
    for (unsigned i = 0; i < COUNTER_TYPES; i++)
        counter[i] = counter_name(i) != NULL ? count_at(counters, counter_name(i)) : 0;
}

static void copy_text(char *to, size_t bytes, const char *text)
{
    snprintf(to, bytes, "%s", text != NULL ? text : "");
}

static void restore_class(struct operation_class *c, const json_t *value)
{
    copy_text(c->name, sizeof(c->name), text_at(value, "class"));
    c->count = count_at(value, "count");
    c->errors = count_at(value, "errors");
    c->matched = count_at(value, "rows_matched");
    c->changed = count_at(value, "rows_changed");
    distribution_init(&c->time);
    restore_observed(&c->time, json_object_get(value, "histogram"), json_object_get(value, "sums"));
}

static unsigned class_named(const struct operation_totals *t, const char *name)
{
    unsigned i = 0;
    while (i < t->classes && (name == NULL || strcmp(t->class[i].name, name) != 0))
        i++;
    return i < t->classes ? i : OPERATION_NO_CLASS;
}

static void restore_error(struct operation_totals *t, const json_t *value)
{
    struct operation_error *e = &t->error[t->errors++];
    e->class = class_named(t, text_at(value, "class"));
    e->code = (int)json_integer_value(json_object_get(value, "code"));
    e->count = count_at(value, "count");
    e->ignored = count_at(value, "ignored");
    copy_text(e->state, sizeof(e->state), text_at(value, "state"));
    copy_text(e->message, sizeof(e->message), text_at(value, "message"));
}

static void restore_operations(struct operation_totals *t, const json_t *summary)
{
    size_t i;
    json_t *value;
    json_array_foreach(json_object_get(summary, "statements"), i, value)
    {
        if (t->classes < OPERATION_CLASSES)
            restore_class(&t->class[t->classes++], value);
    }
    json_array_foreach(json_object_get(summary, "errors"), i, value)
    {
        if (t->errors < OPERATION_ERRORS)
            restore_error(t, value);
    }
}

static void restore_type(struct target_total *t, const json_t *value)
{
    const json_t *sums = json_object_get(value, "sums");
    struct distribution *response = &t->metric[METRIC_RESPONSE];
    copy_text(t->name, sizeof(t->name), text_at(value, "type"));
    restore_counters(t->counter, json_object_get(value, "counters"));
    t->counter[COUNTER_QUEUED] = count_at(value, "queued");
    t->counter[COUNTER_UNFINISHED] = count_at(value, "unfinished");
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_init(&t->metric[m]);
    restore_observed(response, json_object_get(value, "histogram"), sums);
    restore_censored(response, json_object_get(value, "censored"), sums);
}

void report_restore_types(struct target_totals *t, const json_t *list)
{
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value)
    {
        if (t->count < TARGETS)
            restore_type(&t->target[t->count++], value);
    }
}

static void restore_requests(struct requests *r, const struct report_document *document)
{
    const json_t *from = interval_value(document->head, "summary/requests");
    figures_read(r, figures_of_requests, from);
    figures_read(r, figures_of_unfinished, from);
    r->terminals = count_at(from, "terminals");
    figures_read(r, figures_of_sessions, interval_value(document->head, "summary/sessions"));
    r->arrivals_ns = seconds_to_ns(arrivals_s(document));
}

static void restore_summary(struct summary *total, const struct report_document *document)
{
    const json_t *summary = json_object_get(document->head, "summary");
    struct snapshot *s = &total->snapshot;
    figures_read(s, figures_of_span, summary);
    total->elapsed_ns = seconds_to_ns(number_at(summary, "elapsed_s"));
    restore_counters(s->counter, json_object_get(summary, "counters"));
    restore_metrics(s, json_object_get(summary, "histogram"));
    restore_operations(s->operations, summary);
    report_restore_types(s->types, json_object_get(summary, "event_types"));
    report_restore_types(s->deferred, json_object_get(summary, "deferred"));
    qualities_from_json(s->qualities, json_object_get(summary, "quality"));
    restore_requests(&total->requests, document);
    s->connects.failed = count_at(summary, "connects_failed");
    s->staleness.failed = count_at(summary, "staleness_unanswered");
    s->effects = effects_from_json(summary);
    s->offered = total->requests.offered;
    s->dropped = total->requests.dropped;
    precision_from_json(&total->precision, json_object_get(summary, "precision"));
    total->no_op_cause = text_at(summary, "no_op_cause");
    figures_read(&total->fairness, figures_of_fair_events,
                 interval_value(summary, "fairness/events"));
    figures_read(&total->fairness, figures_of_fair_seconds,
                 interval_value(summary, "fairness/seconds"));
}

/* Judgements. */

static int64_t seconds_at(const json_t *object, const char *name)
{
    return seconds_to_ns(number_at(object, name));
}

static void restore_episodes(struct episodes *episodes, const json_t *list)
{
    size_t i;
    json_t *episode;
    json_array_foreach(list, i, episode)
    {
        if (episodes->count == EPISODES_MAX)
            break;
        episodes->list[episodes->count++] = (struct episode){
            .from_ns = seconds_at(episode, "from_s"),
            .to_ns = seconds_at(episode, "to_s"),
            .load = number_at(episode, "load"),
            .asked_per_s = number_at(episode, "asked_per_s"),
            .rest_asked_per_s = number_at(episode, "asked_otherwise_per_s"),
            .service_ns = number_at(episode, "service_ms") * NS_PER_MS,
            .rest_service_ns = number_at(episode, "service_otherwise_ms") * NS_PER_MS};
    }
}

static void restore_verdict(struct verdict *v, const json_t *trust)
{
    size_t i;
    json_t *finding;
    v->ks_critical = number_at(trust, "gap_distance_critical");
    const json_t *verdict = interval_value(trust, "verdict");
    copy_text(v->remark, sizeof(v->remark), text_at(verdict, "remark"));
    copy_text(v->plans, sizeof(v->plans), text_at(verdict, "plan_remark"));
    restore_episodes(&v->episodes, interval_value(trust, "verdict/overload_episodes"));
    json_array_foreach(interval_value(trust, "verdict/findings"), i, finding)
    {
        const char *name = text_at(finding, "name"), *advice = text_at(finding, "advice");
        if (v->count == ARRAY_SIZE(v->finding) || name == NULL || advice == NULL)
            break;
        struct finding *to = &v->finding[v->count++];
        to->name = name;
        to->advice = advice;
        copy_text(to->figure, sizeof(to->figure), text_at(finding, "figure"));
    }
}

static void restore_dispersion(double *dispersion, const json_t *by_scale)
{
    static const char *const scale[] = {"0.1", "1", "10"};
    for (size_t i = 0; i < ARRAY_SIZE(scale); i++)
        dispersion[i] = json_number_value(json_object_get(by_scale, scale[i]));
}

static void restore_trust(struct trust *t, const json_t *trust)
{
    figures_read(&t->evidence, figures_of_client, trust);
    figures_read(&t->evidence, figures_of_generator, trust);
    t->evidence.goodness = number_at(trust, "gap_distance");
    t->evidence.gaps = count_at(trust, "gaps");
    restore_dispersion(t->evidence.dispersion, json_object_get(trust, "arrival_dispersion"));
    figures_read(&t->little, figures_of_little, json_object_get(trust, "in_system"));
    restore_verdict(&t->verdict, trust);
}

/* Restores an objective, parsed by slo_parse(), and its result. */
static void restore_objective(struct report_restored *r, const json_t *value)
{
    const char *text = text_at(value, "objective");
    struct slo one;
    if (text == NULL || slo_check(text) != NULL || r->slo.count == SLO_MAX)
        return;
    slo_parse(&one, text);
    if (one.count != 1)
        return;
    r->objectives.figure[r->slo.count] =
        (struct slo_figure){.value = number_at(value, "figure"),
                            .lower_bound = json_is_true(json_object_get(value, "censored")),
                            .known = json_is_number(json_object_get(value, "figure")),
                            .met = json_is_true(json_object_get(value, "met"))};
    r->slo.objective[r->slo.count++] = one.objective[0];
}

static void restore_slo(struct report_restored *r, const json_t *slo)
{
    size_t i;
    json_t *objective;
    r->objectives.slo = &r->slo;
    r->objectives.met = json_is_true(json_object_get(slo, "met"));
    json_array_foreach(json_object_get(slo, "objectives"), i, objective)
        restore_objective(r, objective);
}

json_t *report_percentiles(const json_t *summary, const int64_t *percentile, unsigned count)
{
    struct distribution response;
    distribution_init(&response);
    restore_time(&response, json_object_get(summary, "histogram"), FIGURE_RESPONSE);
    json_t *figures = value_percentiles(&response, NS_PER_MS, percentile, count);
    json_object_update_existing(figures,
                                (json_t *)interval_value(summary, "response_ms/percentiles"));
    distribution_fini(&response);
    return figures;
}

int report_restore(struct report_restored *r, const struct report_document *document,
                   const char *name)
{
    const json_t *summary = json_object_get(document->head, "summary");
    *r = (struct report_restored){0};
    snapshot_init(&r->total.snapshot);
    if (json_object_get(summary, "histogram") == NULL) {
        log_text(LOG_FATAL, "'%s' has no figures: its run ended before it could measure", name);
        return -1;
    }
    restore_settings(&r->settings, document);
    restore_summary(&r->total, document);
    const json_t *trust = json_object_get(summary, "audit");
    r->judged = json_is_object(trust);
    restore_trust(&r->trust, trust);
    restore_slo(r, json_object_get(summary, "slo"));
    r->waits = waits_from_json(json_object_get(document->head, "wait_events"));
    return 0;
}

void report_restored_fini(struct report_restored *r)
{
    snapshot_fini(&r->total.snapshot);
    free(r->waits);
    rate_profile_fini(&r->settings.arrivals.profile);
}
