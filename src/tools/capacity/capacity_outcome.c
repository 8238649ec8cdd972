/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the outcome of a probe and the settings of the search from the report of the probe. */
#include <math.h>
#include <string.h>

#include "report/json/report_json_value.h"
#include "report/json/report_restore.h"
#include "report/json/report_settings.h"
#include "report/text/interval_column.h"
#include "tools/capacity/capacity_internal.h"

/* If the client stops for more than this part of a probe, the probe is not trusted. */
#define STALL_PART 1e-3

/* "events": the replay of a log has ended with the log. */
static const char *const known_ends[] = {"time", "events", "slo", "queue_full", "forced_shutdown"};

/* Functions that read distributions from JSON. */

static int64_t whole_number(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

/* A sum that needs more than 63 bits is not an integer in JSON. */
static unsigned __int128 sum_number(const json_t *object, const char *name)
{
    const json_t *sum = json_object_get(object, name);
    return json_is_integer(sum) ? (unsigned __int128)json_integer_value(sum)
                                : (unsigned __int128)json_number_value(sum);
}

static int64_t pair_number(const json_t *pair, size_t i)
{
    return json_integer_value(json_array_get(pair, i));
}

static void read_censored(struct distribution *d, const json_t *pairs)
{
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair)
        distribution_censor_many(d, pair_number(pair, 0),
                                 (uint64_t)max_i64(0, pair_number(pair, 1)));
}

/* Reads the response times of a summary or checkpoint. */
static void read_responses(struct distribution *d, const json_t *part)
{
    const json_t *sums = interval_value(part, "histogram/sums/response");
    size_t i;
    json_t *pair;
    json_array_foreach(interval_value(part, "histogram/response"), i, pair)
        d->buckets[histogram_index(pair_number(pair, 0))] += (uint64_t)pair_number(pair, 1);
    d->count = (uint64_t)whole_number(sums, "count");
    d->sum_ns = sum_number(sums, "sum_ns");
    if (d->count > 0) {
        d->min_ns = whole_number(sums, "min_ns");
        d->max_ns = whole_number(sums, "max_ns");
    }
    read_censored(d, interval_value(part, "histogram/censored/response"));
}

static void read_part(struct snapshot *s, const json_t *part)
{
    read_responses(&s->metric[METRIC_RESPONSE], part);
    s->counter[COUNTER_EVENT] = (uint64_t)whole_number(json_object_get(part, "counters"), "events");
    s->counter[COUNTER_FAILED] =
        (uint64_t)whole_number(json_object_get(part, "counters"), "failed");
    s->dropped = (uint64_t)whole_number(json_object_get(part, "requests"), "dropped");
    report_restore_types(s->types, json_object_get(part, "event_types"));
    report_restore_types(s->deferred, json_object_get(part, "deferred"));
    qualities_from_json(s->qualities, json_object_get(part, "quality"));
}

/* Subtracts observed values. The extremes stay as they are and serve as bounds. */
static void subtract(struct distribution *d, const struct distribution *part)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        d->buckets[i] -= part->buckets[i];
    d->count -= part->count;
    d->sum_ns -= part->sum_ns;
}

static void subtract_types(struct target_totals *t, const struct target_totals *part)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct target_total *same = target_totals_named(part, t->target[i].name);
        if (same != NULL)
            subtract(&t->target[i].metric[METRIC_RESPONSE], &same->metric[METRIC_RESPONSE]);
    }
}

/*
 * Reads the parts between checkpoints. The last part is the remainder of the whole run, so there is
 * one more part than checkpoints.
 */
static void read_parts(struct snapshot *part, size_t count, const json_t *summary,
                       const json_t *checkpoints)
{
    for (size_t i = 0; i < count; i++)
        snapshot_init(&part[i]);
    struct snapshot *last = &part[count - 1];
    read_part(last, summary);
    for (size_t i = 0; i + 1 < count; i++) {
        read_part(&part[i], json_array_get(checkpoints, i));
        subtract(&last->metric[METRIC_RESPONSE], &part[i].metric[METRIC_RESPONSE]);
        subtract_types(last->types, part[i].types);
        subtract_types(last->deferred, part[i].deferred);
    }
}

static double read_margin(const struct slo_judgement *j, const json_t *report)
{
    const json_t *checkpoints = json_object_get(report, "checkpoints");
    size_t count = json_array_size(checkpoints) + 1;
    struct snapshot *part = xcalloc(count, sizeof(*part));
    read_parts(part, count, json_object_get(report, "summary"), checkpoints);
    double margin = capacity_margin(j, part, count);
    for (size_t i = 0; i < count; i++)
        snapshot_fini(&part[i]);
    free(part);
    return margin;
}

/* Distance from the edge, where the objectives are just met. */

static double margin_of(const struct slo_objective *o, const struct slo_figure *f)
{
    bool unknown = !f->known || (f->lower_bound && f->value < o->limit);
    if (unknown)
        return -CAPACITY_MARGIN_MAX;
    if (o->kind == SLO_QUALITY) /* may not depend on the rate at all, so it is no distance */
        return f->met ? CAPACITY_MARGIN_MAX : -CAPACITY_MARGIN_MAX;
    return o->kind == SLO_ERRORS ? 1 - f->value / o->limit : o->limit / fmax(f->value, 1e-6) - 1;
}

/* A maximum does not converge with the length of a run. The share of errors has no bias. */
static bool depends_on_length(const struct slo_objective *o)
{
    return o->kind == SLO_PERCENTILE || o->kind == SLO_MEAN;
}

/*
 * Parts in which nothing was measured cannot be used for a correction. Runs with censored response
 * times cannot either, because the last part has all of them and checkpoints have no such times.
 */
static bool are_comparable(const struct slo_objective *o, const struct snapshot *part, size_t parts)
{
    for (size_t i = 0; i < parts; i++) {
        const struct distribution *response = slo_responses(o, &part[i]);
        if (response == NULL || response->count == 0 || response->censored > 0)
            return false;
    }
    return parts > 1;
}

static double mean_margin(const struct slo *slo, unsigned objective, const struct snapshot *part,
                          size_t parts)
{
    struct slo_judgement j;
    double sum = 0;
    for (size_t i = 0; i < parts; i++) {
        slo_judge(&j, slo, &part[i], NS_PER_SEC);
        sum += margin_of(&slo->objective[objective], &j.figure[objective]);
    }
    return sum / (double)parts;
}

/*
 * The margin of a short run has a bias of about β/length (docs/capacity.md): β/T for the whole run
 * and k β/T for each of its k parts. This removes the bias (jackknife; M. H. Quenouille, Biometrika
 * 43, 1956).
 */
static double corrected(double whole, double parts_mean, size_t k)
{
    return whole - (parts_mean - whole) / (double)(k - 1);
}

double capacity_margin(const struct slo_judgement *j, const struct snapshot *part, size_t parts)
{
    double smallest = CAPACITY_MARGIN_MAX;
    for (unsigned i = 0; i < j->slo->count; i++) {
        const struct slo_objective *o = &j->slo->objective[i];
        if (j->figure[i].none)
            continue;
        double margin = margin_of(o, &j->figure[i]);
        if (depends_on_length(o) && are_comparable(o, part, parts))
            margin = corrected(margin, mean_margin(j->slo, i, part, parts), parts);
        smallest = fmin(smallest, margin);
    }
    return fmax(smallest, -CAPACITY_MARGIN_MAX);
}

/* Functions that read the report. */

static const char *known_end(const json_t *summary)
{
    const char *end = json_string_value(json_object_get(summary, "end"));
    for (size_t i = 0; end != NULL && i < ARRAY_SIZE(known_ends); i++)
        if (strcmp(end, known_ends[i]) == 0)
            return known_ends[i];
    return NULL;
}

/*
 * Requests that arrive while the client is stopped miss a limit that is shorter than the stop. If
 * they are more than a few, a percentile changes.
 */
static bool stood_still(const struct capacity_run *run, const json_t *summary,
                        const struct slo *slo)
{
    double lag_ms = json_number_value(interval_value(summary, "generator_lag_us/max")) / 1e3;
    return lag_ms > slo_shortest_ms(slo) && lag_ms > 1e3 * run->seconds * STALL_PART;
}

/* If the client was the limit, the probe does not describe the server. */
static bool is_trusted(const json_t *summary)
{
    size_t i;
    json_t *finding;
    json_array_foreach(interval_value(summary, "audit/verdict/findings"), i, finding)
    {
        const char *name = json_string_value(json_object_get(finding, "name"));
        if (name != NULL &&
            (strcmp(name, "CLIENT-LIMITED") == 0 || strcmp(name, "ARRIVALS-OFF") == 0))
            return false;
    }
    return true;
}

/* An event type that did not occur in a short probe is no reason to reject the rate. */
static bool meets(const struct slo_judgement *j)
{
    for (unsigned i = 0; i < j->slo->count; i++)
        if (!j->figure[i].met && !j->figure[i].none)
            return false;
    return true;
}

bool capacity_has_completed(const struct capacity_run *run)
{
    return strcmp(run->end, "time") == 0 || strcmp(run->end, "events") == 0;
}

int capacity_read(struct capacity_run *run, const struct slo *slo, const json_t *report)
{
    const json_t *summary = json_object_get(report, "summary");
    struct snapshot whole;
    run->end = known_end(summary);
    if (run->end == NULL)
        return -1;
    run->seconds = json_number_value(json_object_get(summary, "elapsed_s"));
    run->completed_per_s = json_number_value(json_object_get(summary, "completed_per_s"));
    run->probe.trusted = is_trusted(summary) && !stood_still(run, summary, slo);
    snapshot_init(&whole);
    read_part(&whole, summary);
    slo_judge(&run->judgement, slo, &whole, seconds_to_ns(run->seconds));
    run->judgement.met = meets(&run->judgement);
    snapshot_fini(&whole);
    run->probe.empty = whole_number(json_object_get(summary, "requests"), "offered") == 0;
    if (run->probe.empty)
        run->probe.margin = 0;
    else if (capacity_has_completed(run))
        run->probe.margin = read_margin(&run->judgement, report);
    else
        run->probe.margin = -CAPACITY_MARGIN_MAX;
    return 0;
}

/* Settings of the search. */

/* Options that the search sets for each probe. */
static const char *const own[] = {
    "arrival_trace", "drain",     "events", "rate",    "report_checkpoints",
    "slo",           "slo_abort", "speed",  "time",    "tx_rate", "warmup_time"};

/* Returns the objectives as they were given; the caller frees the text. */
static char *all_objectives(const struct slo *slo)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    for (unsigned i = 0; i < slo->count; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", slo->objective[i].text);
    if (fclose(out) != 0)
        checked_alloc(NULL);
    return text;
}

void capacity_note_settings(struct capacity *c, const json_t *report)
{
    if (c->settings != NULL)
        return;
    char *objectives = all_objectives(&c->slo);
    c->settings = report_settings(report);
    json_t *config = json_object_get(c->settings, "config");
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        json_object_del(config, own[i]);
    value_set(config, "slo", value_text(objectives));
    value_set(config, "probe_time", value_real(c->probe_s));
    if (c->before.count > 0)
        value_set(config, "before_probe", capacity_value_before(c));
    if (c->log.rate > 0)
        value_set(config, "log_hash", value_text(c->log.hash));
    free(objectives);
}
