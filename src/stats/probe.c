/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stats/probe.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"
#include "stats/probe_sums.h"

/* Longest time that the end of an interval, the start and the end of a run wait for a sample. */
#define INTERVAL_WAIT_NS (NS_PER_SEC / 10)
#define START_WAIT_NS (2 * NS_PER_SEC)
#define FINISH_WAIT_NS NS_PER_SEC
#define STOP_WAIT_NS (NS_PER_SEC / 5)
/* If two samples are further apart than this many sampling periods, there is a gap between them. */
#define LATE 2.5
/* If at least this share of the sessions holds its counts back, rates are late. */
#define HELD_SHARE 0.25
/* Sessions that were held back report together when they continue, and the next time a second later
 * (PostgreSQL's shortest time between two reports), so the rates of this time are late, too. */
#define HELD_AFTER_NS (3 * NS_PER_SEC / 2)

/* All fields except `source`, `all` and `thread` are guarded by the lock in `all`. */
struct probe {
    struct probe_source source;
    struct probes *all;
    pthread_t thread;
    bool started, left;
    /* When the next sample is due; kept until this sample was taken; INT64_MAX if none is due. */
    int64_t due_ns;
    bool answers; /* true if the last read succeeded */
    bool refused;
    bool lost; /* true if a read has failed since the thread started */
    char error[PROBE_ERROR_BYTES];
    int64_t last_ns; /* when the last sample was taken; 0 before the first */
    int64_t held_ns; /* when counts were held back last; 0 if they never were */
    bool comparable; /* true if no read has failed since the last sample */
    double first[PROBE_VALUES], last[PROBE_VALUES];
    struct probe_sums interval, run;
    struct probe_gap *gap;
    unsigned gaps;
};

struct probes {
    int64_t every_ns, created_ns;
    int64_t start_ns; /* start of the run */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signalled when anything guarded by `lock` has changed */
    bool loaded;            /* true from probes_begin() to probes_finish() */
    bool stop;
    /* Set by probes_total(): gaps may be read without the lock, so no gap is added after it. */
    bool reported;
    struct probe probe[PROBE_SOURCES];
    unsigned count;
};

struct probes *probes_create(int64_t every_ns)
{
    struct probes *probes = xcalloc(1, sizeof(*probes));
    probes->every_ns = every_ns;
    pthread_mutex_init(&probes->lock, NULL);
    thread_condition_init(&probes->changed);
    return probes;
}

void probes_add(struct probes *probes, const struct probe_source *source)
{
    struct probe *p = &probes->probe[probes->count++];
    p->source = *source;
    p->all = probes;
    p->due_ns = INT64_MAX;
}

void probes_destroy(struct probes *probes)
{
    if (probes == NULL)
        return;
    for (unsigned i = 0; i < probes->count; i++) {
        probes->probe[i].source.destroy(probes->probe[i].source.self);
        free(probes->probe[i].gap);
    }
    pthread_cond_destroy(&probes->changed);
    pthread_mutex_destroy(&probes->lock);
    free(probes);
}

/* Waits until something changes or the deadline is reached. INT64_MAX means no deadline. Call it
 * with the lock held. */
static void wait_for_change(struct probes *probes, int64_t deadline_ns)
{
    struct timespec deadline = clock_timespec(deadline_ns);
    if (deadline_ns == INT64_MAX)
        pthread_cond_wait(&probes->changed, &probes->lock);
    else
        pthread_cond_timedwait(&probes->changed, &probes->lock, &deadline);
}

/* The thread of a source. */

static void add_gap(struct probe *p, int64_t until_ns)
{
    if (p->all->reported)
        return;
    const int64_t start_ns = p->all->start_ns;
    int64_t from_ns = p->last_ns > 0 ? p->last_ns : p->all->created_ns;
    p->gap = xrealloc(p->gap, (p->gaps + 1) * sizeof(*p->gap));
    struct probe_gap *gap = &p->gap[p->gaps++];
    gap->from_ns = max_i64(0, from_ns - start_ns);
    gap->to_ns = max_i64(0, until_ns - start_ns);
    memcpy(gap->error, p->error, sizeof(gap->error));
}

/* Marks the interval if the growth since the last sample may belong to an earlier time. A source
 * that has not answered for a while counts as one that holds counts back. */
static void note_late(struct probe *p, const double *value, int64_t at_ns, bool gap)
{
    const unsigned held = p->source.table.held;
    if (held == 0)
        return;
    if (gap || value[held] >= HELD_SHARE)
        p->held_ns = at_ns;
    p->interval.late =
        p->interval.late || (p->held_ns > 0 && p->last_ns - p->held_ns <= HELD_AFTER_NS);
}

static void keep_sample(struct probe *p, const double *value, int64_t at_ns, int64_t took_ns)
{
    bool late = p->last_ns > 0 && (double)(at_ns - p->last_ns) > LATE * (double)p->all->every_ns;
    const bool gap = late || p->error[0] != '\0';
    if (gap)
        add_gap(p, at_ns);
    note_late(p, value, at_ns, gap);
    probe_sums_sample(&p->interval, value, p->comparable ? p->last : NULL, at_ns - p->last_ns,
                      p->all->loaded);
    p->interval.took_ns += took_ns;
    p->interval.took_max_ns = max_i64(p->interval.took_max_ns, took_ns);
    if (p->last_ns == 0)
        memcpy(p->first, value, sizeof(p->first));
    memcpy(p->last, value, sizeof(p->last));
    p->last_ns = at_ns;
    p->answers = p->comparable = true;
    p->error[0] = '\0';
}

static void keep_failure(struct probe *p, enum probe_status status, const char *error)
{
    if (p->error[0] == '\0' && p->gaps == 0)
        log_text(LOG_WARNING, "%s (%s) cannot be watched: %s%s", p->source.name, p->source.where,
                 error, status == PROBE_FAILED ? "; the next sample tries again" : "");
    snprintf(p->error, sizeof(p->error), "%s", error);
    p->refused = status == PROBE_REFUSED;
    p->answers = p->comparable = false;
    p->lost = true;
}

/* Samples are due at fixed times (start_ns + k · every_ns). A sample that was missed is skipped. */
static void set_next_due(struct probe *p, int64_t now_ns)
{
    if (p->refused || p->all->start_ns == 0) {
        p->due_ns = INT64_MAX;
        return;
    }
    int64_t steps = (now_ns - p->all->start_ns) / p->all->every_ns + 1;
    p->due_ns = p->all->start_ns + max_i64(1, steps) * p->all->every_ns;
}

/* Reads the source. Call it with the lock held; the lock is released during the read. */
static void take_sample(struct probe *p)
{
    double value[PROBE_VALUES];
    char error[PROBE_ERROR_BYTES] = "";
    for (unsigned i = 0; i < PROBE_VALUES; i++)
        value[i] = NAN;
    pthread_mutex_unlock(&p->all->lock);
    int64_t began_ns = clock_now_ns();
    enum probe_status status = p->source.read(p->source.self, value, error);
    int64_t now_ns = clock_now_ns();
    pthread_mutex_lock(&p->all->lock);
    if (status == PROBE_READ)
        keep_sample(p, value, now_ns, now_ns - began_ns);
    else
        keep_failure(p, status, error);
    set_next_due(p, now_ns);
    pthread_cond_broadcast(&p->all->changed);
}

static void *thread_main(void *arg)
{
    struct probe *p = arg;
    struct probes *all = p->all;
    pthread_mutex_lock(&all->lock);
    while (!all->stop) {
        if (clock_now_ns() >= p->due_ns)
            take_sample(p);
        else
            wait_for_change(all, p->due_ns);
    }
    p->left = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Functions for the thread that controls the run. */

static bool pending(const struct probe *p, int64_t now_ns)
{
    return p->started && p->due_ns <= now_ns;
}

/*
 * Waits until no sample that was due at `due_ns` is outstanding, or until the deadline. If
 * `answering_only` is true, sources that have not answered lately are not waited for. Call it with
 * the lock held.
 */
static void wait_for_samples(struct probes *probes, int64_t due_ns, int64_t deadline_ns,
                             bool answering_only)
{
    for (unsigned i = 0; i < probes->count; i++) {
        const struct probe *p = &probes->probe[i];
        while (pending(p, due_ns) && (p->answers || !answering_only) &&
               clock_now_ns() < deadline_ns)
            wait_for_change(probes, deadline_ns);
    }
}

/* Makes a sample due now for all sources that do not refuse. A source that is being read is not
 * read once more. Call it with the lock held. */
static void make_all_due(struct probes *probes, int64_t now_ns)
{
    for (unsigned i = 0; i < probes->count; i++)
        if (!probes->probe[i].refused)
            probes->probe[i].due_ns = min_i64(probes->probe[i].due_ns, now_ns);
    pthread_cond_broadcast(&probes->changed);
}

void probes_start(struct probes *probes)
{
    if (probes == NULL)
        return;
    pthread_mutex_lock(&probes->lock);
    int64_t now_ns = probes->created_ns = clock_now_ns();
    make_all_due(probes, now_ns);
    for (unsigned i = 0; i < probes->count; i++) {
        struct probe *p = &probes->probe[i];
        p->started = pthread_create(&p->thread, NULL, thread_main, p) == 0;
        if (!p->started)
            log_text(LOG_WARNING, "%s cannot be watched: no thread could be started",
                     p->source.name);
    }
    wait_for_samples(probes, now_ns, now_ns + START_WAIT_NS, false);
    pthread_mutex_unlock(&probes->lock);
}

void probes_begin(struct probes *probes, int64_t start_ns)
{
    if (probes == NULL)
        return;
    pthread_mutex_lock(&probes->lock);
    probes->start_ns = start_ns;
    probes->loaded = true;
    for (unsigned i = 0; i < probes->count; i++)
        if (probes->probe[i].due_ns == INT64_MAX)
            set_next_due(&probes->probe[i], start_ns);
    pthread_cond_broadcast(&probes->changed);
    pthread_mutex_unlock(&probes->lock);
}

/* A source that is still busy with an older sample is not waited for. */
void probes_finish(struct probes *probes)
{
    if (probes == NULL)
        return;
    pthread_mutex_lock(&probes->lock);
    int64_t now_ns = clock_now_ns();
    probes->loaded = false;
    for (unsigned i = 0; i < probes->count; i++)
        if (probes->probe[i].due_ns < now_ns - INTERVAL_WAIT_NS)
            probes->probe[i].answers = false;
    make_all_due(probes, now_ns);
    wait_for_samples(probes, now_ns, now_ns + FINISH_WAIT_NS, true);
    pthread_mutex_unlock(&probes->lock);
}

bool probes_stop(struct probes *probes)
{
    if (probes == NULL)
        return true;
    bool all_left = true;
    int64_t deadline_ns = clock_now_ns() + STOP_WAIT_NS;
    pthread_mutex_lock(&probes->lock);
    probes->stop = true;
    pthread_cond_broadcast(&probes->changed);
    for (unsigned i = 0; i < probes->count; i++) {
        struct probe *p = &probes->probe[i];
        while (p->started && !p->left && clock_now_ns() < deadline_ns)
            wait_for_change(probes, deadline_ns);
        all_left = all_left && (p->left || !p->started);
    }
    pthread_mutex_unlock(&probes->lock);
    for (unsigned i = 0; i < probes->count && all_left; i++)
        if (probes->probe[i].started) {
            pthread_join(probes->probe[i].thread, NULL);
            probes->probe[i].started = false;
        }
    return all_left;
}

/* Figures. */

/* Returns how long the source has not answered, or 0 if it answers. If the span has samples, a
 * sample that is due counts as missing only one sampling period later. */
static int64_t silent_ns(const struct probe *p, const struct probe_sums *sums, int64_t now_ns)
{
    bool overdue = pending(p, sums->samples > 0 ? now_ns - p->all->every_ns : now_ns);
    if (p->answers && !overdue)
        return 0;
    return now_ns - (p->last_ns > 0 ? p->last_ns : p->all->created_ns);
}

static void fill_figures(const struct probe *p, const struct probe_sums *sums, int64_t now_ns,
                         struct probe_figures *f)
{
    *f = (struct probe_figures){.source = &p->source, .samples = sums->samples};
    f->sample_ms = sums->samples > 0 ? ns_to_ms(sums->took_ns) / sums->samples : NAN;
    f->sample_max_ms = sums->samples > 0 ? ns_to_ms(sums->took_max_ns) : NAN;
    f->silent_ns = silent_ns(p, sums, now_ns);
    f->late = sums->late;
    memcpy(f->error, p->error, sizeof(f->error));
    probe_sums_figures(sums, &p->source.table, f->figure);
}

static void begin_report(const struct probes *probes, struct probe_report *report)
{
    *report = (struct probe_report){.every_ns = probes->every_ns, .sources = probes->count};
}

void probes_interval(struct probes *probes, int64_t now_ns, struct probe_report *report)
{
    pthread_mutex_lock(&probes->lock);
    begin_report(probes, report);
    for (unsigned i = 0; i < probes->count; i++) {
        struct probe *p = &probes->probe[i];
        while (pending(p, now_ns) && p->answers && clock_now_ns() < p->due_ns + INTERVAL_WAIT_NS)
            wait_for_change(probes, p->due_ns + INTERVAL_WAIT_NS);
        fill_figures(p, &p->interval, clock_now_ns(), &report->source[i]);
        probe_sums_add(&p->run, &p->interval);
        p->interval = (struct probe_sums){0};
    }
    pthread_mutex_unlock(&probes->lock);
}

void probes_total(struct probes *probes, struct probe_report *report)
{
    pthread_mutex_lock(&probes->lock);
    int64_t now_ns = clock_now_ns();
    begin_report(probes, report);
    for (unsigned i = 0; i < probes->count; i++) {
        struct probe *p = &probes->probe[i];
        probe_sums_add(&p->run, &p->interval);
        p->interval = (struct probe_sums){0};
        fill_figures(p, &p->run, now_ns, &report->source[i]);
        if (report->source[i].silent_ns > 0)
            add_gap(p, now_ns);
        report->source[i].gap = p->gap;
        report->source[i].gaps = p->gaps;
    }
    probes->reported = true;
    pthread_mutex_unlock(&probes->lock);
}

const struct probe_source *probes_source(const struct probes *probes, unsigned i)
{
    return i < probes->count ? &probes->probe[i].source : NULL;
}

double probes_growth(struct probes *probes, unsigned i, unsigned value)
{
    pthread_mutex_lock(&probes->lock);
    const struct probe *p = &probes->probe[i];
    bool known = p->comparable && !p->lost && p->last[value] >= p->first[value];
    double growth = known ? p->last[value] - p->first[value] : NAN;
    pthread_mutex_unlock(&probes->lock);
    return growth;
}

double probes_last(struct probes *probes, unsigned i, unsigned value)
{
    pthread_mutex_lock(&probes->lock);
    const struct probe *p = &probes->probe[i];
    double last = p->last_ns > 0 ? p->last[value] : NAN;
    pthread_mutex_unlock(&probes->lock);
    return last;
}

static struct probe_work_group *group_of(struct probe_report *report,
                                         const struct probe_source *source)
{
    unsigned i = 0;
    while (i < report->works && report->work[i].table->work != source->table.work)
        i++;
    if (i == ARRAY_SIZE(report->work))
        return NULL;
    if (i == report->works)
        report->work[report->works++] =
            (struct probe_work_group){.name = source->name, .table = &source->table};
    return &report->work[i];
}

void probes_work(struct probes *probes, uint64_t requests, struct probe_report *report)
{
    report->works = 0;
    report->requests = requests;
    for (unsigned i = 0; i < probes->count && requests > 0; i++) {
        const struct probe_source *source = &probes->probe[i].source;
        if (source->table.works == 0 || source->role != PROBE_MAIN)
            continue;
        struct probe_work_group *group = group_of(report, source);
        for (size_t k = 0; group != NULL && k < source->table.works; k++) {
            const struct probe_work *work = &source->table.work[k];
            group->per_request[k] +=
                probes_growth(probes, i, work->value) / work->unit / (double)requests;
        }
    }
}
