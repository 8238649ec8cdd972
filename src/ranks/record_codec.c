/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/record_codec.h"

#include <limits.h>
#include <string.h>

#include "base/util.h"
#include "ranks/sample_codec.h"

#define COUNT_MAX UINT_MAX

/* If you add a field to a struct, add it here as well, and to the functions that merge
 * ranks (ranks.c). */
#define KNOWN(type, bytes)                                                                         \
    _Static_assert(sizeof(struct type) == (bytes), "a field that the codec does not know")
KNOWN(distribution, 96);
KNOWN(operation_class, 176);
KNOWN(operation_error, 160);
KNOWN(target_total, 1008);
KNOWN(effects, 160);
KNOWN(snapshot, 1408);
KNOWN(interval, 2096);
KNOWN(requests, 120);
KNOWN(fairness, 32);
KNOWN(summary, 2496); /* `precision` is computed by the process that has all intervals */
KNOWN(slo_objective, 192);
KNOWN(ending, 12);
KNOWN(audit_window, 88);
KNOWN(evidence, 136); /* `dispersion` is of a run in one process and not sent */
KNOWN(outage, 792);

/* Range [first, end) of the buckets that may not be zero. */
struct bucket_range {
    unsigned first, end;
};

static struct bucket_range observed_range(const struct distribution *d)
{
    if (d->count == 0)
        return (struct bucket_range){0, 0};
    return (struct bucket_range){histogram_index(d->min_ns), histogram_index(d->max_ns) + 1};
}

/*
 * Writes the number of buckets in use, then for each the number of buckets skipped, and its count.
 */
static void write_buckets(struct codec *c, const uint64_t *buckets, struct bucket_range range)
{
    size_t used = 0;
    uint64_t skipped = range.first;
    for (unsigned i = range.first; i < range.end; i++)
        used += buckets[i] != 0;
    codec_size(c, &used, HISTOGRAM_BUCKETS);
    for (unsigned i = range.first; i < range.end; i++, skipped++) {
        if (buckets[i] == 0)
            continue;
        uint64_t count = buckets[i];
        codec_u64(c, &skipped);
        codec_u64(c, &count);
        skipped = UINT64_MAX; /* adjacent buckets are encoded as 0 skipped */
    }
}

/* Buckets outside of the range are not touched, because they are never read. */
static void read_buckets(struct codec *c, uint64_t *buckets, struct bucket_range range)
{
    size_t used = 0, at = 0;
    codec_size(c, &used, HISTOGRAM_BUCKETS);
    for (; used > 0 && !c->failed; used--, at++) {
        size_t skipped;
        uint64_t count;
        codec_size(c, &skipped, HISTOGRAM_BUCKETS - used - at);
        codec_u64(c, &count);
        at += skipped;
        if (at < range.first || at >= range.end)
            c->failed = true;
        else
            buckets[at] = count;
    }
}

static void code_buckets(struct codec *c, uint64_t *buckets, struct bucket_range range)
{
    if (codec_reads(c))
        read_buckets(c, buckets, range);
    else
        write_buckets(c, buckets, range);
}

static void code_censored(struct codec *c, struct distribution *d)
{
    codec_u64(c, &d->censored);
    if (d->censored == 0)
        return;
    codec_u128(c, &d->censored_sum_ns);
    codec_any_i64(c, &d->censored_max_ns);
    code_buckets(c, distribution_bounds(d), (struct bucket_range){0, HISTOGRAM_BUCKETS});
}

static void code_distribution(struct codec *c, struct distribution *d)
{
    codec_u64(c, &d->count);
    codec_u128(c, &d->sum_ns);
    codec_any_i64(c, &d->min_ns);
    codec_any_i64(c, &d->max_ns);
    const struct bucket_range range = observed_range(d);
    if (d->count > 0 && range.first >= range.end)
        c->failed = true;
    code_buckets(c, d->buckets, range);
    code_censored(c, d);
}

static void code_metrics(struct codec *c, uint64_t counter[COUNTER_TYPES],
                         struct distribution metric[METRIC_TYPES])
{
    for (unsigned i = 0; i < COUNTER_TYPES; i++)
        codec_u64(c, &counter[i]);
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        code_distribution(c, &metric[m]);
}

/* Classes, errors, targets. Reading creates those that do not exist yet. */

static void code_class(struct codec *c, struct operation_class *class)
{
    codec_chars(c, class->name, sizeof(class->name));
    codec_u64(c, &class->count);
    codec_u64(c, &class->errors);
    codec_u64(c, &class->matched);
    codec_u64(c, &class->changed);
    code_distribution(c, &class->time);
}

static void code_error(struct codec *c, struct operation_error *error)
{
    codec_unsigned(c, &error->class, OPERATION_NO_CLASS);
    codec_int(c, &error->code);
    codec_chars(c, error->state, sizeof(error->state));
    codec_chars(c, error->message, sizeof(error->message));
    codec_u64(c, &error->count);
    codec_u64(c, &error->ignored);
}

static void code_operations(struct codec *c, struct operation_totals *t)
{
    unsigned classes = t->classes;
    codec_unsigned(c, &classes, OPERATION_CLASSES);
    for (; t->classes < classes; t->classes++)
        distribution_init(&t->class[t->classes].time);
    for (unsigned i = 0; i < classes; i++)
        code_class(c, &t->class[i]);
    codec_unsigned(c, &t->errors, OPERATION_ERRORS);
    for (unsigned i = 0; i < t->errors; i++)
        code_error(c, &t->error[i]);
    for (unsigned i = 0; i < t->errors; i++)
        if (t->error[i].class >= t->classes && t->error[i].class != OPERATION_NO_CLASS)
            c->failed = true;
}

static void code_target(struct codec *c, struct target_total *target)
{
    codec_chars(c, target->name, sizeof(target->name));
    codec_i64(c, &target->connections);
    codec_i64(c, &target->lost);
    code_metrics(c, target->counter, target->metric);
}

static void make_target(struct target_total *target)
{
    for (unsigned m = 0; m < METRIC_TYPES; m++)
        distribution_init(&target->metric[m]);
}

static void code_targets(struct codec *c, struct target_totals *t)
{
    unsigned count = t->count;
    codec_unsigned(c, &count, TARGETS);
    for (; t->count < count; t->count++)
        make_target(&t->target[t->count]);
    for (unsigned i = 0; i < count; i++)
        code_target(c, &t->target[i]);
}

static void code_tallies(struct codec *c, struct tally_totals *t)
{
    codec_unsigned(c, &t->count, TALLIES);
    for (unsigned i = 0; i < t->count; i++) {
        codec_chars(c, t->tally[i].name, sizeof(t->tally[i].name));
        codec_u64(c, &t->tally[i].count);
        codec_u64(c, &t->tally[i].sum);
        codec_u64(c, &t->tally[i].squares);
    }
}

static void code_qualities(struct codec *c, struct quality_totals *t)
{
    codec_unsigned(c, &t->count, QUALITIES);
    for (unsigned i = 0; i < t->count; i++) {
        codec_chars(c, t->quality[i].name, sizeof(t->quality[i].name));
        codec_u64(c, &t->quality[i].count);
        codec_real(c, &t->quality[i].mean);
        codec_real(c, &t->quality[i].squares);
    }
}

static void code_effects(struct codec *c, struct effects *e)
{
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        for (unsigned i = 0; i < EFFECT_TYPES; i++)
            codec_u64(c, &e->count[kind][i]);
}

void codec_snapshot(struct codec *c, struct snapshot *s)
{
    codec_i64(c, &s->from_ns);
    codec_i64(c, &s->to_ns);
    code_metrics(c, s->counter, s->metric);
    code_distribution(c, &s->lag);
    code_distribution(c, &s->connects.time);
    codec_u64(c, &s->connects.failed);
    code_distribution(c, &s->staleness.time);
    codec_u64(c, &s->staleness.failed);
    codec_u64(c, &s->offered);
    codec_u64(c, &s->dropped);
    codec_u64(c, &s->arrived_ns);
    codec_u64(c, &s->departed_ns);
    code_operations(c, s->operations);
    code_effects(c, &s->effects);
    code_targets(c, s->targets);
    code_targets(c, s->types);
    code_targets(c, s->deferred);
    code_tallies(c, s->tallies);
    code_qualities(c, s->qualities);
}

/*
 * Encodes the interval of one rank. Probes are not encoded, and a single rank has no parts by rank.
 */
void codec_interval(struct codec *c, struct interval *interval, struct wait_names *names)
{
    codec_snapshot(c, &interval->snapshot);
    codec_bool(c, &interval->last);
    codec_bool(c, &interval->warmup);
    codec_unsigned(c, &interval->threads_running, COUNT_MAX);
    codec_u64(c, &interval->queue_length);
    codec_u64(c, &interval->concurrency);
    codec_u64(c, &interval->sessions);
    codec_u64(c, &interval->idle_open);
    codec_real(c, &interval->asked_per_s);
    codec_real(c, &interval->in_system);
    codec_real(c, &interval->in_system_by_law);
    codec_real(c, &interval->in_system_error);
    codec_real(c, &interval->queue);
    codec_real(c, &interval->busy);
    codec_wait_span(c, &interval->waits, names);
}

static void code_sessions(struct codec *c, struct session_totals *s)
{
    codec_u64(c, &s->begun);
    codec_u64(c, &s->ended);
    codec_u64(c, &s->in_progress);
    codec_u64(c, &s->earlier);
    codec_real(c, &s->mean);
}

static void code_requests(struct codec *c, struct requests *r)
{
    codec_u64(c, &r->offered);
    codec_u64(c, &r->completed);
    codec_u64(c, &r->failed);
    codec_u64(c, &r->dropped);
    codec_i64(c, &r->arrivals_ns);
    codec_u64(c, &r->queued);
    codec_u64(c, &r->in_service);
    codec_i64(c, &r->oldest_ns);
    codec_u64(c, &r->terminals);
    code_sessions(c, &r->sessions);
    codec_real(c, &r->age_sum_ns);
}

void codec_summary(struct codec *c, struct summary *summary)
{
    struct fairness *f = &summary->fairness;
    codec_snapshot(c, &summary->snapshot);
    code_requests(c, &summary->requests);
    codec_real(c, &f->events_mean);
    codec_real(c, &f->events_stddev);
    codec_real(c, &f->seconds_mean);
    codec_real(c, &f->seconds_stddev);
    codec_i64(c, &summary->elapsed_ns);
}

static void code_rank(struct codec *c, struct rank *rank)
{
    codec_unsigned(c, &rank->number, RANKS_MAX);
    codec_unsigned(c, &rank->count, RANKS_MAX);
    codec_i64(c, &rank->threads);
    codec_i64(c, &rank->first_thread);
}

static void code_objectives(struct codec *c, struct slo *slo)
{
    codec_unsigned(c, &slo->count, SLO_MAX);
    for (unsigned i = 0; i < slo->count; i++) {
        struct slo_objective *o = &slo->objective[i];
        unsigned kind = o->kind;
        codec_unsigned(c, &kind, SLO_QUALITY);
        o->kind = (enum slo_kind)kind;
        codec_i64(c, &o->percentile);
        codec_real(c, &o->limit);
        codec_bool(c, &o->or_equal);
        codec_bool(c, &o->above);
        codec_bool(c, &o->of_staleness);
        codec_chars(c, o->quality, sizeof(o->quality));
        codec_chars(c, o->type, sizeof(o->type));
        codec_chars(c, o->text, sizeof(o->text));
    }
}

static void code_arrivals(struct codec *c, struct settings *s)
{
    unsigned kind = s->arrivals.kind, wait = s->arrivals.wait;
    codec_real(c, &s->rate);
    codec_bool(c, &s->rate_changes);
    codec_unsigned(c, &kind, ARRIVAL_SHAPED);
    codec_unsigned(c, &wait, ARRIVAL_WAIT_SPIN);
    codec_real(c, &s->arrivals.elsewhere);
    s->arrivals.kind = (enum arrival_kind)kind;
    s->arrivals.wait = (enum arrival_wait)wait;
}

/* A list of times or percentiles. */
static void code_list(struct codec *c, int64_t *list, unsigned *count, unsigned most)
{
    codec_unsigned(c, count, most);
    for (unsigned i = 0; i < *count; i++)
        codec_i64(c, &list[i]);
}

static void code_policy(struct codec *c, struct client_policy *p)
{
    unsigned action = p->action;
    codec_bool(c, &p->on);
    codec_i64(c, &p->timeout_ns);
    codec_unsigned(c, &action, TIMEOUT_ABANDON);
    p->action = (enum timeout_action)action;
    codec_unsigned(c, &p->retry.attempts, UINT_MAX);
    codec_bool(c, &p->retry.doubles);
    codec_i64(c, &p->retry.pause_ns);
    codec_real(c, &p->retry.budget);
    codec_unsigned(c, &p->retry_on, UINT_MAX);
}

void codec_settings(struct codec *c, struct settings *s)
{
    code_rank(c, &s->rank);
    codec_u64(c, &s->rand.seed);
    codec_i64(c, &s->threads);
    codec_any_i64(c, &s->events);
    codec_i64(c, &s->time_ns);
    codec_i64(c, &s->warmup_ns);
    codec_i64(c, &s->drain_ns);
    codec_i64(c, &s->queue_size);
    codec_i64(c, &s->report_interval_ns);
    codec_i64(c, &s->idle_connections);
    codec_bool(c, &s->strict);
    codec_bool(c, &s->terminals);
    codec_bool(c, &s->sessions.on);
    codec_bool(c, &s->histogram);
    code_policy(c, &s->policy);
    code_arrivals(c, s);
    code_objectives(c, &s->slo);
    code_list(c, s->percentile, &s->percentiles, MAX_PERCENTILES);
    code_list(c, s->checkpoint_ns, &s->checkpoints, MAX_CHECKPOINTS);
}

static void code_ending(struct codec *c, struct ending *e)
{
    unsigned why = e->why;
    codec_unsigned(c, &why, END_ERROR);
    e->why = (enum end)why;
    codec_bool(c, &e->failed);
    codec_bool(c, &e->abandoned);
    codec_int(c, &e->signal);
}

static void code_window(struct codec *c, struct audit_window *w)
{
    codec_i64(c, &w->from_ns);
    codec_i64(c, &w->to_ns);
    codec_u64(c, &w->completed);
    codec_i64(c, &w->in_system);
    codec_real(c, &w->response_sum_ns);
    codec_i64(c, &w->response_max_ns);
    codec_i64(c, &w->lag_max_ns);
    codec_real(c, &w->asked);
    codec_u64(c, &w->dropped);
    codec_u64(c, &w->served);
    codec_real(c, &w->service_sum_ns);
}

static void code_audit(struct codec *c, struct audit *audit)
{
    codec_i64(c, &audit->in_system);
    /* Each entry takes at least one byte, so a larger count is invalid. This bounds the memory
     * allocated. */
    codec_size(c, &audit->count, codec_reads(c) ? (size_t)(c->in.end - c->in.at) : SIZE_MAX);
    if (codec_reads(c) && audit->count > 0) {
        audit->room = audit->count;
        audit->windows = xcalloc(audit->room, sizeof(*audit->windows));
    }
    for (size_t i = 0; i < audit->count; i++)
        code_window(c, &audit->windows[i]);
}

static void code_evidence(struct codec *c, struct evidence *e)
{
    codec_i64(c, &e->arrivals_end_ns);
    codec_real(c, &e->goodness);
    codec_u64(c, &e->gaps);
    codec_real(c, &e->client_cpu);
    codec_real(c, &e->generator_cpu);
    codec_real(c, &e->standby_cpu);
    codec_bool(c, &e->spins_beside);
    codec_real(c, &e->steal);
    codec_real(c, &e->worker_cpu);
}

static void code_outage(struct codec *c, struct outage *o, struct wait_names *names)
{
    codec_chars(c, o->host, sizeof(o->host));
    codec_i64(c, &o->from_ns);
    codec_i64(c, &o->to_ns);
    codec_bool(c, &o->ended);
    codec_u64(c, &o->lost);
    codec_i64(c, &o->level_ns);
    codec_i64(c, &o->back_after_ns);
    codec_unsigned(c, &o->disconnected, COUNT_MAX);
    codec_i64(c, &o->connected_after_ns);
    codec_wait_span(c, &o->waits, names);
}

static void code_outages(struct codec *c, struct outages *o, struct wait_names *names)
{
    codec_i64(c, &o->threshold_ns);
    codec_i64(c, &o->sure_ns);
    codec_i64(c, &o->window_ns);
    codec_unsigned(c, &o->count,
                   codec_reads(c) ? (unsigned)min_i64(c->in.end - c->in.at, COUNT_MAX) : COUNT_MAX);
    if (codec_reads(c) && o->count > 0)
        o->list = xcalloc(o->count, sizeof(*o->list));
    for (unsigned i = 0; i < o->count; i++)
        code_outage(c, &o->list[i], names);
}

static void code_idle(struct codec *c, struct idle_counts *idle)
{
    codec_u64(c, &idle->wanted);
    codec_u64(c, &idle->open);
    codec_u64(c, &idle->most);
    codec_u64(c, &idle->opened);
    codec_u64(c, &idle->refused);
    codec_u64(c, &idle->closed);
    codec_u64(c, &idle->touched);
    codec_chars(c, idle->failure, sizeof(idle->failure));
}

void codec_result(struct codec *c, struct result *r)
{
    code_ending(c, &r->ending);
    codec_bool(c, &r->is_void);
    codec_summary(c, &r->total);
    codec_summary(c, &r->part);
    code_audit(c, &r->audit);
    code_evidence(c, &r->evidence);
    codec_wait_record(c, &r->sampled);
    /* The waits of outages use the names of the samples, which must be known first. */
    code_outages(c, &r->outages, r->sampled != NULL ? &r->sampled->names : NULL);
    codec_text(c, &r->no_op_cause);
    codec_slow_requests(c, &r->slowest);
    code_idle(c, &r->idle);
    r->total.no_op_cause = r->part.no_op_cause = r->no_op_cause;
}
