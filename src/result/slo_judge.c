/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/slo_judge.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

/* Longest window. Figures of less than a second mean little. */
#define WINDOW_NS NS_PER_SEC

static uint64_t refused(const struct snapshot *s)
{
    return s->counter[COUNTER_FAILED] + s->dropped;
}

/* The records that an objective is for. Dropped requests have no type. */
struct subject {
    const struct distribution *response; /* response times, or ages of data; NULL if the run has no such type */
    uint64_t completed, refused;
};

/* Returns the totals of a type. The prefix "deferred." means the type of deferred work. If a run
 * defers nothing, the event of this type does the work itself. */
static const struct target_total *type_of(const char *name, const struct snapshot *s)
{
    static const char prefix[] = "deferred.";
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return target_totals_named(s->types, name);
    const struct target_totals *among = s->deferred->count > 0 ? s->deferred : s->types;
    return target_totals_named(among, name + strlen(prefix));
}

static struct subject subject_of(const struct slo_objective *o, const struct snapshot *s)
{
    if (o->of_staleness)
        return (struct subject){&s->staleness.time, 0, 0};
    if (o->type[0] == '\0')
        return (struct subject){&s->metric[METRIC_RESPONSE], s->counter[COUNTER_EVENT], refused(s)};
    const struct target_total *type = type_of(o->type, s);
    if (type == NULL)
        return (struct subject){0};
    return (struct subject){&type->metric[METRIC_RESPONSE], type->counter[COUNTER_EVENT],
                            type->counter[COUNTER_FAILED]};
}

const struct distribution *slo_responses(const struct slo_objective *o, const struct snapshot *s)
{
    return subject_of(o, s).response;
}

/* Returns the mean, maximum or percentile that the objective limits. */
static struct bounded response_figure(const struct slo_objective *o, const struct distribution *d)
{
    if (o->kind == SLO_MEAN)
        return distribution_mean(d);
    return o->kind == SLO_MAXIMUM ? distribution_max(d) : distribution_percentile(d, o->percentile);
}

static bool is_within(const struct slo_objective *o, double value)
{
    if (value == o->limit)
        return o->or_equal;
    return o->above ? value > o->limit : value < o->limit;
}

/* If the run has the figure, but no value of it, `none` is set. */
static struct slo_figure judge_quality(const struct slo_objective *o, const struct snapshot *s)
{
    const struct quality_total *q = quality_totals_named(s->qualities, o->quality);
    struct slo_figure f = {.known = q != NULL && q->count > 0};
    f.value = f.known ? q->mean : 0;
    f.none = q != NULL && !f.known;
    f.met = f.known && is_within(o, f.value);
    return f;
}

static struct slo_figure judge_one(const struct slo_objective *o, const struct snapshot *s,
                                   int64_t span_ns)
{
    if (o->kind == SLO_QUALITY)
        return judge_quality(o, s);
    const struct subject subject = subject_of(o, s);
    const struct distribution *d = subject.response;
    const uint64_t ended = subject.completed + subject.refused;
    struct slo_figure f = {.known = d != NULL && d->count + d->censored > 0};
    struct bounded time;
    switch (o->kind) {
    case SLO_ERRORS:
        f.known = ended > 0;
        f.value = f.known ? 100 * (double)subject.refused / (double)ended : 0;
        break;
    case SLO_THROUGHPUT:
        f.known = span_ns > 0;
        f.value = f.known ? (double)subject.completed / ns_to_seconds(span_ns) : 0;
        break;
    case SLO_GOODPUT:
        f.known = span_ns > 0;
        f.value = f.known ? (double)counter_good(s->counter) / ns_to_seconds(span_ns) : 0;
        break;
    default:
        if (!f.known)
            break;
        time = response_figure(o, d);
        f.value = ns_to_ms(time.ns);
        f.lower_bound = time.censored;
    }
    f.none = o->type[0] != '\0' && d != NULL && !f.known;
    f.met = f.known && is_within(o, f.value) && !f.lower_bound;
    return f;
}

void slo_judge(struct slo_judgement *j, const struct slo *slo, const struct snapshot *s,
               int64_t span_ns)
{
    *j = (struct slo_judgement){.slo = slo, .met = true};
    for (unsigned i = 0; i < slo->count; i++) {
        j->figure[i] = judge_one(&slo->objective[i], s, span_ns);
        j->met = j->met && j->figure[i].met;
    }
}

/* Returns the number of observed values above the bucket of the limit. At least this many are too
 * long. */
static double count_above(const struct distribution *d, double limit_ms)
{
    uint64_t count = 0;
    unsigned first = histogram_index(seconds_to_ns(limit_ms / 1e3)) + 1;
    for (unsigned i = first; i < HISTOGRAM_BUCKETS; i++)
        count += d->buckets[i];
    return (double)count;
}

/*
 * Returns true if an objective can no longer be met. A percentile q of n values is above the limit
 * as soon as more than n (1 − q) values are. Lower bounds are not counted, but they could only make
 * it larger.
 */
static bool is_lost(const struct slo_objective *o, const struct snapshot *s, double arrivals)
{
    const struct subject subject = subject_of(o, s);
    const struct distribution *d = subject.response;
    double share = (double)o->percentile / (100.0 * PERCENT);
    /* The number of reads of replicas does not follow from that of the arrivals. */
    if (d == NULL || (o->of_staleness && o->kind != SLO_MAXIMUM))
        return false;
    switch (o->kind) {
    case SLO_PERCENTILE:
        return count_above(d, o->limit) > arrivals * (1 - share);
    case SLO_MEAN:
        return (double)d->sum_ns / NS_PER_MS > arrivals * o->limit;
    case SLO_MAXIMUM:
        return d->count > 0 && !is_within(o, ns_to_ms(d->max_ns));
    case SLO_ERRORS:
        return 100 * (double)subject.refused > arrivals * o->limit;
    default:
        return false; /* a later burst of requests may still reach the throughput */
    }
}

/* The number of arrivals is taken to be 4 standard deviations larger than expected. A Poisson
 * process exceeds this once in 30 000 runs. */
bool slo_is_lost(const struct slo *slo, const struct snapshot *s, double arrivals)
{
    for (unsigned i = 0; i < slo->count; i++)
        if (is_lost(&slo->objective[i], s, arrivals + 4 * sqrt(arrivals)))
            return true;
    return false;
}

void slo_watch_init(struct slo_watch *w, const struct slo *slo, int64_t abort_ns, int64_t from_ns)
{
    *w = (struct slo_watch){.slo = slo,
                            .abort_ns = abort_ns,
                            .from_ns = from_ns,
                            .missed_since_ns = -1,
                            .stuck_since_ns = -1};
    snapshot_init(&w->window);
}

void slo_watch_fini(struct slo_watch *w)
{
    snapshot_fini(&w->window);
}

void slo_watch_add(struct slo_watch *w, const struct snapshot *recorded)
{
    snapshot_add(&w->window, recorded);
}

static bool nothing_ended(const struct snapshot *s)
{
    return s->counter[COUNTER_EVENT] + refused(s) == 0;
}

/* Requests that are in the system at the end of a window are still there if no request ends in the
 * next windows. */
static void note_stuck(struct slo_watch *w, int64_t now_ns, uint64_t in_system)
{
    if (in_system == 0)
        w->stuck_since_ns = -1;
    else if (w->stuck_since_ns < 0 || !nothing_ended(&w->window))
        w->stuck_since_ns = now_ns;
}

static bool is_stuck(const struct slo_watch *w, int64_t now_ns)
{
    return w->stuck_since_ns >= 0 && ns_to_ms(now_ns - w->stuck_since_ns) > slo_shortest_ms(w->slo);
}

/* An objective for a type, a quality figure or the staleness is not missed by a window without
 * events of this type, values of this figure, or reads. */
static bool may_be_unknown(const struct slo_objective *o)
{
    return o->type[0] != '\0' || o->kind == SLO_QUALITY || o->of_staleness;
}

static bool any_missed(const struct slo_judgement *j)
{
    for (unsigned i = 0; i < j->slo->count; i++)
        if (!j->figure[i].met && (j->figure[i].known || !may_be_unknown(&j->slo->objective[i])))
            return true;
    return false;
}

static bool window_missed(struct slo_watch *w, int64_t now_ns)
{
    struct slo_judgement j;
    struct snapshot *s = &w->window;
    if (nothing_ended(s))
        return is_stuck(w, now_ns) || w->missed_since_ns >= 0;
    distribution_censor_all(&s->metric[METRIC_RESPONSE], &s->metric[METRIC_FAILED]);
    target_totals_censor_failed(s->types);
    target_totals_censor_failed(s->deferred);
    slo_judge(&j, w->slo, s, now_ns - w->from_ns);
    return any_missed(&j);
}

bool slo_watch_look(struct slo_watch *w, int64_t now_ns, uint64_t in_system)
{
    if (now_ns - w->from_ns < min_i64(WINDOW_NS, w->abort_ns))
        return false;
    note_stuck(w, now_ns, in_system);
    if (!window_missed(w, now_ns))
        w->missed_since_ns = -1;
    else if (w->missed_since_ns < 0)
        w->missed_since_ns = w->from_ns;
    snapshot_reset(&w->window);
    w->from_ns = now_ns;
    return w->missed_since_ns >= 0 && now_ns - w->missed_since_ns >= w->abort_ns;
}

struct slo_text slo_figure_text(const struct slo_objective *objective,
                                const struct slo_figure *figure)
{
    struct slo_text t = {"-"};
    double value = figure->value;
    const char *unit = slo_unit(objective);
    int decimals = value > 0 && value < 0.01        ? min_u32(12, (unsigned)ceil(1 - log10(value)))
                   : objective->kind == SLO_QUALITY ? 4
                                                    : 2;
    if (figure->known)
        snprintf(t.text, sizeof(t.text), "%s%.*f%s%s", figure->lower_bound ? ">" : "", decimals,
                 value, unit[0] != '\0' ? " " : "", unit);
    return t;
}
