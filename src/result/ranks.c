/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/ranks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

void rank_result_init(struct rank_result *r)
{
    *r = (struct rank_result){0};
    snapshot_init(&r->result.total.snapshot);
    snapshot_init(&r->result.part.snapshot);
}

void rank_result_fini(struct rank_result *r)
{
    result_fini(&r->result);
    free(r->host);
}

void rank_result_judge(struct rank_result *r)
{
    r->result.settings = &r->settings;
    r->judgement = judgement_of(&r->result);
}

const char *ranks_word(const struct ranks *whole)
{
    return whole->repeats ? "run" : "rank";
}

/* Merging of records. */

void interval_merge(struct interval *dst, const struct interval *src)
{
    snapshot_merge(&dst->snapshot, &src->snapshot);
    dst->last = dst->last || src->last;
    dst->warmup = dst->warmup || src->warmup;
    dst->threads_running += src->threads_running;
    dst->queue_length += src->queue_length;
    dst->concurrency += src->concurrency;
    dst->sessions += src->sessions;
    dst->idle_open += src->idle_open;
    dst->asked_per_s += src->asked_per_s;
    dst->in_system += src->in_system;
    dst->in_system_by_law += src->in_system_by_law;
    dst->in_system_error += src->in_system_error;
    dst->queue += src->queue;
    dst->busy += src->busy;
    wait_span_merge(&dst->waits, &src->waits);
}

static void add_sessions(struct session_totals *dst, const struct session_totals *src)
{
    dst->begun += src->begun;
    dst->ended += src->ended;
    dst->in_progress += src->in_progress;
    dst->earlier += src->earlier;
    dst->mean += src->mean;
}

static void add_requests(struct requests *dst, const struct requests *src)
{
    dst->offered += src->offered;
    dst->completed += src->completed;
    dst->failed += src->failed;
    dst->dropped += src->dropped;
    dst->queued += src->queued;
    dst->in_service += src->in_service;
    dst->terminals += src->terminals;
    add_sessions(&dst->sessions, &src->sessions);
    dst->age_sum_ns += src->age_sum_ns;
    dst->oldest_ns = max_i64(dst->oldest_ns, src->oldest_ns);
    dst->arrivals_ns = max_i64(dst->arrivals_ns, src->arrivals_ns);
}

/* Combines the mean and standard deviation of two groups. */
static void join_moments(double *mean, double *stddev, double n, double src_mean, double src_stddev,
                         double src_n)
{
    const double all = n + src_n;
    const double joined = (n * *mean + src_n * src_mean) / all;
    const double squares = n * (*stddev * *stddev + *mean * *mean) +
                           src_n * (src_stddev * src_stddev + src_mean * src_mean);
    *stddev = sqrt(fmax(0, squares / all - joined * joined));
    *mean = joined;
}

void summary_merge(struct summary *dst, int64_t *threads, const struct summary *src,
                   int64_t src_threads)
{
    struct fairness *f = &dst->fairness;
    const struct fairness *g = &src->fairness;
    const double n = (double)*threads, m = (double)src_threads;
    snapshot_merge(&dst->snapshot, &src->snapshot);
    add_requests(&dst->requests, &src->requests);
    join_moments(&f->events_mean, &f->events_stddev, n, g->events_mean, g->events_stddev, m);
    join_moments(&f->seconds_mean, &f->seconds_stddev, n, g->seconds_mean, g->seconds_stddev, m);
    dst->elapsed_ns = max_i64(dst->elapsed_ns, src->elapsed_ns);
    if (dst->no_op_cause == NULL)
        dst->no_op_cause = src->no_op_cause;
    *threads += src_threads;
}

/* Merging of the ends of runs. */

/* Returns how important a reason for the end of a run is. The most important reason of all ranks is
 * reported. */
static unsigned gravity(enum end why)
{
    static const unsigned char order[] = {
        [END_NONE] = 0,   [END_EVENTS] = 1, [END_SCRIPT] = 2,     [END_TIME] = 3, [END_UNTIL] = 3,
        [END_SIGNAL] = 4, [END_SLO] = 5,    [END_QUEUE_FULL] = 6, [END_ERROR] = 7};
    return order[why];
}

static void add_ending(struct ending *dst, const struct ending *src)
{
    if (gravity(src->why) > gravity(dst->why))
        dst->why = src->why;
    dst->failed = dst->failed || src->failed;
    dst->abandoned = dst->abandoned || src->abandoned;
    if (dst->signal == 0)
        dst->signal = src->signal;
}

/* Merging of the trust in results. */

/* Returns a distance in relation to the distance that chance alone explains, if that is known. */
static double distance(double goodness, double critical)
{
    return critical > 0 ? goodness / critical : goodness;
}

/* Figures of a single machine are replaced by the worst of all ranks. Figures of Little's law are
 * added. */
static void add_evidence(struct trust *dst, const struct trust *src)
{
    struct evidence *e = &dst->evidence;
    const struct evidence *f = &src->evidence;
    if (f->gaps > 0 && distance(f->goodness, src->verdict.ks_critical) >=
                           distance(e->goodness, dst->verdict.ks_critical)) {
        e->goodness = f->goodness;
        e->gaps = f->gaps;
        dst->verdict.ks_critical = src->verdict.ks_critical;
    }
    e->arrivals_end_ns = max_i64(e->arrivals_end_ns, f->arrivals_end_ns);
    e->client_cpu = fmax(e->client_cpu, f->client_cpu);
    e->generator_cpu = fmax(e->generator_cpu, f->generator_cpu);
    e->standby_cpu = fmax(e->standby_cpu, f->standby_cpu);
    e->steal = fmax(e->steal, f->steal);
    e->worker_cpu = fmax(e->worker_cpu, f->worker_cpu);
    e->spins_beside = e->spins_beside || f->spins_beside;
    dst->little.in_system += src->little.in_system;
    dst->little.by_law += src->little.by_law;
    dst->little.error += src->little.error;
}

/* Returns the finding with this name, which is added if it is new (*new is set). Returns NULL if it
 * is new and there is no room. */
static struct finding *finding_named(struct verdict *v, const char *name, bool *new)
{
    unsigned i = 0;
    while (i < v->count && strcmp(v->finding[i].name, name) != 0)
        i++;
    *new = i == v->count;
    if (i == ARRAY_SIZE(v->finding))
        return NULL;
    v->count += *new;
    v->finding[i].name = name;
    return &v->finding[i];
}

static const char *host_of(const struct rank_result *r)
{
    return r->host != NULL ? r->host : "?";
}

/* Adds a finding of a rank. Its text begins with "rank 2 (host): ". If other ranks have the same
 * finding, only their numbers are added: "rank 3 too; rank 2 (host): ". */
static void add_finding(struct ranks *whole, const struct rank_result *r, const struct finding *f)
{
    struct verdict *v = &whole->judgement.trust.verdict;
    const char *what = ranks_word(whole);
    char text[sizeof(f->figure) + 120];
    bool new;
    struct finding *to = finding_named(v, f->name, &new);
    if (to == NULL)
        return;
    if (new) {
        to->advice = f->advice;
        snprintf(text, sizeof(text), "%s %u (%.80s): %s", what, r->settings.rank.number, host_of(r),
                 f->figure);
    } else {
        snprintf(text, sizeof(text), "%s %u too; %s", what, r->settings.rank.number, to->figure);
    }
    text[sizeof(to->figure) - 1] = '\0';
    memcpy(to->figure, text, sizeof(to->figure));
}

/* Takes the remark of the first rank that has one. */
static void add_remark(struct ranks *whole, const struct rank_result *r)
{
    struct verdict *v = &whole->judgement.trust.verdict;
    const char *remark = r->judgement.trust.verdict.remark;
    if (remark[0] != '\0' && v->remark[0] == '\0')
        snprintf(v->remark, sizeof(v->remark), "%s %u: %.290s", ranks_word(whole),
                 r->settings.rank.number, remark);
}

__attribute__((format(printf, 2, 3))) static void add_cut(struct verdict *v, const char *fmt, ...)
{
    bool new;
    struct finding *f = finding_named(v, "CUT-SHORT", &new);
    va_list args;
    if (f == NULL || !new)
        return;
    f->advice = "The figures cover only the ranks that have reported: find out why others are "
                "missing, and repeat the run.";
    va_start(args, fmt);
    vsnprintf(f->figure, sizeof(f->figure), fmt, args);
    va_end(args);
}

/* Stores the numbers of the missing ranks in `text`, for example "1, 3". */
static void name_missing(const struct ranks *whole, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned number = 0, i = 0; number < whole->expected && used + 12 < bytes; number++) {
        if (i < whole->count && whole->rank[i].settings.rank.number == number)
            i++;
        else
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%u", used > 0 ? ", " : "", number);
    }
}

static void judge_presence(struct ranks *whole)
{
    struct verdict *v = &whole->judgement.trust.verdict;
    char missing[120];
    if (whole->count < whole->expected) {
        name_missing(whole, missing, sizeof(missing));
        add_cut(v, "only %u of %u ranks have reported; the figures of rank(s) %s are missing",
                whole->count, whole->expected, missing);
    }
    for (unsigned i = 0; i < whole->count; i++) {
        const struct rank_result *r = &whole->rank[i];
        if (r->partial)
            add_cut(
                v, "the report of rank %u (%.80s) ends at %.1f s; its later figures are missing",
                r->settings.rank.number, host_of(r), ns_to_seconds(r->result.total.snapshot.to_ns));
    }
}

/* If ranks start further apart than this share of an interval, their intervals cover different
 * times. */
#define SPREAD_SHARE 0.25

static void judge_alignment(struct ranks *whole)
{
    const int64_t interval_ns = whole->settings.report_interval_ns;
    const int64_t limit_ns =
        (int64_t)(SPREAD_SHARE * (double)(interval_ns > 0 ? interval_ns : NS_PER_SEC));
    bool new;
    const int64_t apart_ns = whole->spread_ns + max_i64(0, whole->bound_ns);
    if (whole->repeats || apart_ns <= limit_ns)
        return;
    struct finding *f = finding_named(&whole->judgement.trust.verdict, "NOT-ALIGNED", &new);
    if (f == NULL)
        return;
    f->advice = "Intervals combine figures of different times: start all ranks at the same time "
                "(--start-at), on machines with synchronized clocks.";
    snprintf(f->figure, sizeof(f->figure),
             "the ranks began %.3f s apart (up to %.3f s is tolerated)", ns_to_seconds(apart_ns),
             ns_to_seconds(limit_ns));
}

/* Returns false for the finding that a single rank had no arrivals while the whole run had some. */
static bool counts(const struct ranks *whole, const struct finding *f)
{
    return whole->result.total.requests.offered == 0 || strcmp(f->name, "NOTHING-MEASURED") != 0;
}

static void judge(struct ranks *whole)
{
    struct trust *trust = &whole->judgement.trust;
    *trust = (struct trust){.evidence = {.settings = &whole->settings,
                                         .summary = &whole->result.total,
                                         .audit = &whole->result.audit,
                                         .client_cpu = -1,
                                         .steal = -1,
                                         .worker_cpu = -1}};
    judge_presence(whole);
    judge_alignment(whole);
    for (unsigned i = 0; i < whole->count; i++) {
        const struct rank_result *r = &whole->rank[i];
        const struct verdict *own = &r->judgement.trust.verdict;
        for (unsigned k = 0; k < own->count; k++)
            if (counts(whole, &own->finding[k]))
                add_finding(whole, r, &own->finding[k]);
        add_remark(whole, r);
        add_evidence(trust, &r->judgement.trust);
    }
    whole->result.evidence = trust->evidence;
    const struct trust kept = *trust;
    whole->judgement = judgement_with(&whole->result, &kept);
}

/* Merging of whole results. */

/* Returns the settings of the whole run, given those of one rank. */
static struct settings whole_settings(const struct settings *part)
{
    struct settings s = *part;
    s.threads = settings_all_threads(part);
    s.rate /= rank_share(&part->rank);
    s.arrivals.elsewhere = 0;
    s.rank = (struct rank){0};
    return s;
}

/*
 * Returns the time between the first and the last start of a rank, by their own clocks, or with
 * `ends` between the first and the last end of arrivals. A partial rank has no known end.
 */
static int64_t apart_ns(const struct rank_result *rank, unsigned count, bool ends)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (unsigned i = 0; i < count; i++) {
        const struct rank_result *r = &rank[i];
        int64_t at_ns = r->start_wall_ns;
        if (ends && r->partial)
            continue;
        if (ends)
            at_ns += r->settings.warmup_ns + r->result.total.requests.arrivals_ns;
        first_ns = min_i64(first_ns, at_ns);
        last_ns = max_i64(last_ns, at_ns);
    }
    return last_ns > first_ns ? last_ns - first_ns : 0;
}

/* Adds the outages of one rank. Their host names begin with the rank. */
static void add_outages(struct outages *to, const struct rank_result *rank, const char *word)
{
    const struct outages *from = &rank->result.outages;
    to->threshold_ns = max_i64(to->threshold_ns, from->threshold_ns);
    to->sure_ns = max_i64(to->sure_ns, from->sure_ns);
    to->window_ns = max_i64(to->window_ns, from->window_ns);
    to->list = xrealloc(to->list, (to->count + from->count + 1) * sizeof(*to->list));
    for (unsigned i = 0; i < from->count; i++) {
        struct outage *o = &to->list[to->count++];
        *o = from->list[i];
        snprintf(o->host, sizeof(o->host), "%s %u (%.60s)%s%.60s", word, rank->settings.rank.number,
                 host_of(rank), from->list[i].host[0] != '\0' ? ", " : "", from->list[i].host);
    }
}

static int by_beginning(const void *a, const void *b)
{
    const struct outage *one = a, *other = b;
    return one->from_ns < other->from_ns ? -1 : one->from_ns > other->from_ns;
}

static void add_result(struct result *r, const struct rank_result *rank, int64_t *threads)
{
    const struct result *own = &rank->result;
    int64_t part_threads = *threads;
    summary_merge(&r->part, &part_threads, &own->part, rank->settings.threads);
    summary_merge(&r->total, threads, &own->total, rank->settings.threads);
    add_ending(&r->ending, &own->ending);
    r->is_void = r->is_void && own->is_void;
    r->ending.failed = r->ending.failed || rank->partial;
    if (r->no_op_cause == NULL && own->no_op_cause != NULL)
        r->no_op_cause = xstrdup(own->no_op_cause);
}

/* Adds the samples of waits and the slow requests of a rank. */
static void add_samples(struct result *r, const struct result *own,
                        struct wait_record *const *records, unsigned count)
{
    struct wait_map map;
    if (own->sampled != NULL) {
        if (r->sampled == NULL)
            r->sampled = wait_record_create();
        wait_record_merge(r->sampled, own->sampled, records, count, &map);
    }
    /* The requests of repeats are of different times: the report of each run has its own. */
    if (own->slowest == NULL || r->ranks->repeats)
        return;
    if (r->slowest == NULL)
        r->slowest = xcalloc(1, sizeof(*r->slowest));
    slow_requests_merge(r->slowest, own->slowest, own->sampled != NULL ? &map : NULL);
}

/* Returns true if a rank with this number has reported samples. */
static bool has_samples(const struct ranks *whole, unsigned number)
{
    for (unsigned i = 0; i < whole->count; i++)
        if (whole->rank[i].settings.rank.number == number && !whole->rank[i].partial)
            return whole->rank[i].result.sampled != NULL;
    return false;
}

/* Notes which ranks have not reported their samples. If there is no room, this note replaces
 * another one, because the shares are not those of the whole run. */
static void note_missing_samples(const struct ranks *whole, struct wait_record *record)
{
    char text[120] = "";
    size_t used = 0;
    for (unsigned i = 0; i < whole->expected && used + 12 < sizeof(text); i++)
        if (!has_samples(whole, i))
            used +=
                (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", used > 0 ? ", " : "", i);
    if (used == 0)
        return;
    record->notes -= record->notes == WAIT_NOTES;
    snprintf(
        record->note[record->notes++], WAIT_NOTE_BYTES,
        "the samples and the slow requests of rank(s) %s are missing; if their sessions blocked "
        "others, they are shown as sessions of strangers",
        text);
}

/* The runs of a series took place one after the other, each with the samples per second that were
 * asked for. */
static void add_repeated(const struct ranks *whole, struct wait_record *record)
{
    record->per_second /= whole->count;
    record->elapsed_s = 0;
    for (unsigned i = 0; i < whole->count; i++)
        if (whole->rank[i].result.sampled != NULL)
            record->elapsed_s += whole->rank[i].result.sampled->elapsed_s;
}

static void add_all_samples(struct ranks *whole)
{
    struct wait_record **records = xcalloc(whole->count, sizeof(*records));
    struct result *r = &whole->result;
    for (unsigned i = 0; i < whole->count; i++)
        records[i] = whole->rank[i].result.sampled;
    for (unsigned i = 0; i < whole->count; i++)
        add_samples(r, &whole->rank[i].result, records, whole->repeats ? 0 : whole->count);
    free(records);
    if (r->sampled == NULL)
        return;
    if (whole->repeats)
        add_repeated(whole, r->sampled);
    else
        note_missing_samples(whole, r->sampled);
    r->waits = wait_record_shares(r->sampled);
}

static void add_idle(struct idle_counts *to, const struct idle_counts *from)
{
    to->wanted += from->wanted;
    to->open += from->open;
    to->most += from->most;
    to->opened += from->opened;
    to->refused += from->refused;
    to->closed += from->closed;
    to->touched += from->touched;
    if (from->failure[0] != '\0')
        memcpy(to->failure, from->failure, sizeof(to->failure));
}

/* Fills in all fields of the result except the judgement. */
static void add_results(struct ranks *whole)
{
    struct result *r = &whole->result;
    int64_t threads = 0;
    *r = (struct result){.settings = &whole->settings, .ranks = whole, .is_void = true};
    snapshot_init(&r->total.snapshot);
    snapshot_init(&r->part.snapshot);
    for (unsigned i = 0; i < whole->count; i++) {
        add_result(r, &whole->rank[i], &threads);
        add_outages(&r->outages, &whole->rank[i], ranks_word(whole));
        add_idle(&r->idle, &whole->rank[i].result.idle);
    }
    qsort(r->outages.list, r->outages.count, sizeof(*r->outages.list), by_beginning);
    add_all_samples(whole);
    r->ending.failed = r->ending.failed || whole->count < whole->expected;
    r->total.no_op_cause = r->part.no_op_cause = r->no_op_cause;
}

void ranks_merge(struct ranks *whole, struct rank_result *rank, unsigned count)
{
    const unsigned ranks = rank[0].settings.rank.count;
    *whole = (struct ranks){.rank = rank,
                            .count = count,
                            .expected = ranks > 1 ? ranks : count,
                            .spread_ns = apart_ns(rank, count, false),
                            .bound_ns = -1,
                            .drift_ns = -1,
                            .ends_apart_ns = apart_ns(rank, count, true),
                            .settings = whole_settings(&rank[0].settings)};
    add_results(whole);
    judge(whole);
}

void ranks_set_clocks(struct ranks *whole, int64_t bound_ns, int64_t drift_ns)
{
    whole->bound_ns = bound_ns;
    whole->drift_ns = drift_ns;
    judge(whole);
}

/* Adds the times of a run that took place after the runs in *total. */
static void add_times(struct summary *total, const struct summary *one, bool first)
{
    struct requests *r = &total->requests;
    total->elapsed_ns = first ? one->elapsed_ns : total->elapsed_ns + one->elapsed_ns;
    r->arrivals_ns = first ? one->requests.arrivals_ns : r->arrivals_ns + one->requests.arrivals_ns;
}

/* Returns the mean of the arrival rates that the runs were asked for, up to the end of each run.
 * For rates that change. */
static double mean_asked(const struct rank_result *rank, unsigned count)
{
    double asked = 0, all_s = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct summary *total = &rank[i].result.total;
        const int64_t span_ns = total->requests.arrivals_ns;
        asked += ns_to_seconds(span_ns) * arrival_plan_mean_between(&rank[i].settings.arrivals,
                                                                    total->snapshot.from_ns,
                                                                    span_ns, rank[i].settings.rate);
        all_s += ns_to_seconds(span_ns);
    }
    return all_s > 0 ? asked / all_s : rank[0].settings.rate;
}

void ranks_merge_repeats(struct ranks *whole, struct rank_result *rank, unsigned count)
{
    struct result *r = &whole->result;
    *whole = (struct ranks){.rank = rank,
                            .count = count,
                            .expected = count,
                            .bound_ns = -1,
                            .drift_ns = -1,
                            .repeats = true,
                            .settings = rank[0].settings};
    whole->settings.rank = (struct rank){0};
    if (whole->settings.rate_changes)
        whole->settings.rate = mean_asked(rank, count);
    /* The profile is that of a single run, but all runs together took longer. */
    whole->settings.arrivals.profile = (struct rate_profile){0};
    add_results(whole);
    for (unsigned i = 0; i < count; i++) {
        add_times(&r->total, &rank[i].result.total, i == 0);
        add_times(&r->part, &rank[i].result.part, i == 0);
    }
    judge(whole);
    struct little *little = &whole->judgement.trust.little;
    *little =
        (struct little){little->in_system / count, little->by_law / count, little->error / count};
}

void ranks_fini(struct ranks *whole)
{
    result_fini(&whole->result);
}
