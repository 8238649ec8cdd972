/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/wait_sampler.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"
#include "run/wait_join.h"

/* A request is slow if it has been in service for more than twice this percentile of the service
 * times, of which at least SLOW_LEAST must be known. */
#define SLOW_PERCENTILE (95 * PERCENT)
#define SLOW_FACTOR 2
#define SLOW_LEAST 20
#define SLOW_EVERY_NS NS_PER_SEC
/* A look for slow requests reads fields of each worker. If there are more workers and executors of
 * deferred work than this, only the sampler looks, so that no request is delayed by more than a few
 * microseconds. */
#define LOOKING_WORKERS_MAX 100
/* If the sampler wakes up this much later than planned, this process did not run. */
#define ABSENT_NS (WAIT_LOOK_MAX_NS + WAIT_LOOK_LATE_MAX_NS)
/* A sample that takes at least this long counts as time in which the server did not answer. */
#define SILENT_NS (500 * NS_PER_MS)
/* The sampling ends if this many samples in a row fail while the connection is open. */
#define FAILURES_MAX 3
#define CONNECT_AGAIN_NS NS_PER_SEC
#define READY_WAIT_NS (NS_PER_SEC / 2)
#define STOP_WAIT_NS (2 * NS_PER_SEC)
#define FAILURE_BYTES WAIT_NOTE_BYTES

/* Connections. */

/* Logs a warning, and keeps its text for the report. */
static void note(struct wait_sampler *all, const char *text)
{
    log_text(LOG_WARNING, "--wait-events: %s", text);
    pthread_mutex_lock(&all->lock);
    struct wait_record *record = all->record;
    unsigned i = 0;
    while (i < record->notes && strcmp(record->note[i], text) != 0)
        i++;
    if (i == record->notes && i < WAIT_NOTES)
        snprintf(record->note[record->notes++], WAIT_NOTE_BYTES, "%s", text);
    pthread_mutex_unlock(&all->lock);
}

static void warn(struct host *h, const char *failure)
{
    if (!h->warned)
        note(h->all, failure);
    h->warned = true;
}

/* Warns that the user may not see a part of the sessions. `text` says which; it may be empty. */
static void remark(struct host *h, const char *text)
{
    if (text[0] != '\0' && !h->remarked)
        note(h->all, text);
    h->remarked = h->remarked || text[0] != '\0';
}

/* Notes that the thread waits for the server from now on. Returns the present time. */
static int64_t begin_asking(struct host *h)
{
    pthread_mutex_lock(&h->all->lock);
    const int64_t now_ns = clock_now_ns();
    h->asking_ns = now_ns;
    pthread_mutex_unlock(&h->all->lock);
    return now_ns;
}

/* Notes that the server has answered. Returns false if the thread was given up: it must not record
 * anything. */
static bool end_asking(struct host *h)
{
    pthread_mutex_lock(&h->all->lock);
    h->asking_ns = 0;
    const bool is_used = !atomic_load(&h->given_up);
    pthread_mutex_unlock(&h->all->lock);
    return is_used;
}

/* The ranks of a run take the samples together. */
static double per_second(const struct wait_sampler *all)
{
    return all->settings->wait_events * rank_share(&all->settings->rank);
}

/* Returns the shortest time between two samples of this rank, which has a connection. The server
 * refreshes its answer only if no rank has read it for one gap. With N ranks, each reads at most
 * once in N gaps. So there are at most N reads in N gaps, and at least one of them follows a gap
 * without a read. */
static int64_t gap_ns(const struct host *h)
{
    const int64_t ranks = max_i64(1, h->all->settings->rank.count);
    return ranks * h->all->source->gap_ns(h->connection);
}

static void close_connection(struct host *h)
{
    if (h->connection != NULL)
        h->all->source->close(h->connection);
    h->connection = NULL;
}

static void open_connection(struct host *h)
{
    char failure[FAILURE_BYTES];
    begin_asking(h);
    h->connection = h->all->source->open(h->all->server, h->number, failure, sizeof(failure));
    h->connect_ns = clock_now_ns() + CONNECT_AGAIN_NS;
    if (!end_asking(h))
        return;
    if (h->connection == NULL) {
        warn(h, failure);
        return;
    }
    wait_schedule_set_gap(&h->schedule, per_second(h->all), gap_ns(h));
}

/* Returns true if the worker has this session. */
static bool has_session(struct host *h, unsigned worker, uint64_t session)
{
    struct wait_key key[WAIT_SESSIONS];
    bool others;
    const unsigned count = waits_sessions(h->all->waits, worker, h->number, key, &others);
    for (unsigned i = 0; i < count; i++)
        if (key[i].session == session)
            return true;
    return false;
}

/* Returns a session of a worker on this host, and the worker; 0 if no session is known. */
static uint64_t any_session(struct host *h, unsigned *worker)
{
    struct wait_key key[WAIT_SESSIONS];
    bool others;
    for (*worker = 0; *worker < h->all->workers; ++*worker)
        if (waits_sessions(h->all->waits, *worker, h->number, key, &others) > 0)
            return key[0].session;
    return 0;
}

/* Returns false if the thread was given up, or if the sessions of its host cannot be sampled
 * because a pooler gives its clients numbers that the server does not know. If the worker has
 * closed the session in the meantime, another session is looked up before the next sample. */
static bool check_sessions(struct host *h)
{
    unsigned worker = 0;
    const uint64_t session = h->checked ? 0 : any_session(h, &worker);
    if (session == 0)
        return true;
    begin_asking(h);
    const bool known = h->all->source->knows(h->connection, session);
    if (!end_asking(h))
        return false;
    if (!known && !has_session(h, worker, session))
        return true;
    h->checked = true;
    return known;
}

static void end_at_pooler(struct host *h)
{
    if (!atomic_load(&h->given_up))
        warn(h, "the server does not know the sessions of the workers: is there a pooler between "
                "them? (connect to the server itself)");
    h->over = true;
}

/* The schedule. */

/* Updates the service time from which a request is slow. */
static void update_limit(struct wait_sampler *all, int64_t now_ns)
{
    pthread_mutex_lock(&all->lock);
    const bool is_old = now_ns - all->slow_known_ns >= SLOW_EVERY_NS;
    if (is_old)
        all->slow_known_ns = now_ns;
    pthread_mutex_unlock(&all->lock);
    if (!is_old)
        return;
    const int64_t ns = waits_service_percentile(all->waits, SLOW_PERCENTILE, SLOW_LEAST);
    pthread_mutex_lock(&all->lock);
    all->slow_ns = ns < INT64_MAX / SLOW_FACTOR ? SLOW_FACTOR * ns : INT64_MAX;
    pthread_mutex_unlock(&all->lock);
}

static void set_timer(const struct host *h, int64_t at_ns)
{
    const struct itimerspec at = {.it_value = clock_timespec(max_i64(1, at_ns))};
    timerfd_settime(h->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/* Lets the thread of a host wait until its next sample. The thread wakes up earlier if it is to
 * look for slow requests in place of the workers, to update the limit, or to connect. Called with
 * the lock held. */
static void set_due(struct host *h, int64_t now_ns)
{
    const struct wait_sampler *all = h->all;
    int64_t due_ns = min_i64(wait_schedule_due_ns(&h->schedule, all->look_ns, all->look_late_ns),
                             all->slow_known_ns + SLOW_EVERY_NS);
    if (h->connection == NULL)
        due_ns = min_i64(due_ns, h->connect_ns);
    due_ns = max_i64(due_ns, now_ns);
    if (due_ns != h->due_ns)
        set_timer(h, due_ns);
    h->due_ns = due_ns;
}

/* Returns a time before which no request can be slow, at most `now_ns` if one is slow already.
 * `except` is a worker whose request has just ended. Called with the lock held. */
static int64_t calm_until(const struct wait_sampler *all, unsigned except, int64_t now_ns)
{
    if (all->slow_ns == INT64_MAX)
        return INT64_MAX;
    return waits_oldest_start_ns(all->waits, except, now_ns) + all->slow_ns;
}

/* Looks for a slow request, and changes the rate of the hosts whose threads wait. Threads whose
 * time has come are left out, because they look themselves. Called with the lock held. */
static void look(struct wait_sampler *all, unsigned except)
{
    const int64_t now_ns = clock_now_ns();
    const int64_t calm_ns = calm_until(all, except, now_ns);
    all->look_ns = wait_schedule_look_ns(now_ns, calm_ns, all->look_late_ns);
    if (waits_slots(all->waits) <= LOOKING_WORKERS_MAX)
        waits_look_from(all->waits, all->look_ns);
    for (unsigned i = 0; i < all->hosts; i++) {
        struct host *h = &all->host[i];
        if (now_ns >= h->due_ns)
            continue;
        wait_schedule_set(&h->schedule, now_ns, calm_ns <= now_ns);
        set_due(h, now_ns);
    }
}

/* Called by a worker whose request has ended at `now_ns`. It does not wait for the lock: if another
 * thread has it, the next worker looks. */
static void look_as_worker(void *arg, unsigned worker, int64_t now_ns)
{
    struct wait_sampler *all = arg;
    if (pthread_mutex_trylock(&all->lock) != 0)
        return;
    if (!all->stop && all->active > 0 && now_ns >= all->look_ns)
        look(all, worker);
    pthread_mutex_unlock(&all->lock);
}

/* A sample has failed. The sampling ends if another attempt makes no sense. */
static void fail(struct host *h, enum wait_status status, const char *failure)
{
    h->failures += status == WAIT_SAMPLE_FAILED;
    h->over = status == WAIT_SAMPLE_REFUSED || h->failures == FAILURES_MAX;
    if (h->over)
        h->warned = false;
    warn(h, failure);
    if (status == WAIT_SAMPLE_LOST)
        close_connection(h);
}

/* Takes a sample that stands for `mean_ns`, and for the time until the next one can be taken.
 * Returns the time from which the next sample is drawn. */
static int64_t take(struct host *h, double mean_ns)
{
    const struct wait_sampler *all = h->all;
    char failure[FAILURE_BYTES] = "";
    wait_sessions_clear(&h->sessions);
    const int64_t before_ns = begin_asking(h);
    const enum wait_status status = all->source->sample(h->connection, wait_sessions_add,
                                                        &h->sessions, failure, sizeof(failure));
    const int64_t after_ns = clock_now_ns();
    if (!end_asking(h))
        return after_ns;
    const bool silent = after_ns - before_ns >= SILENT_NS;
    if (silent)
        wait_join_missed(h, WAIT_LABEL_SILENT, before_ns, after_ns);
    if (status != WAIT_SAMPLE_TAKEN) {
        fail(h, status, failure);
        return after_ns;
    }
    remark(h, failure);
    h->failures = 0;
    const int64_t next_ns = max_i64(after_ns, before_ns + gap_ns(h));
    if (silent)
        wait_join_sample(h, after_ns, after_ns, mean_ns);
    else
        wait_join_sample(h, before_ns, after_ns, mean_ns + (double)(next_ns - before_ns));
    return next_ns;
}

/* Takes the sample that is due. While there is no connection, the time counts as time in which the
 * server did not answer. Returns the time from which the next sample is drawn. */
static int64_t step(struct host *h, int64_t now_ns)
{
    const double mean_ns = wait_schedule_mean_ns(&h->schedule);
    if (h->connection == NULL) {
        wait_join_labels(h, WAIT_LABEL_SILENT, now_ns, mean_ns);
        return now_ns;
    }
    if (check_sessions(h))
        return take(h, mean_ns);
    end_at_pooler(h);
    return now_ns;
}

/* Opens a lost connection again, if it is time. Returns true if an attempt was made. */
static bool connect_again(struct host *h)
{
    const int64_t now_ns = clock_now_ns();
    if (h->connection != NULL || h->over || now_ns < h->connect_ns)
        return false;
    open_connection(h);
    wait_join_missed(h, WAIT_LABEL_SILENT, now_ns, clock_now_ns());
    return true;
}

/* Waits until the thread has something to do. Returns the time at which it should have woken up, or
 * 0 if the sampling ends. */
static int64_t wait_until_due(struct host *h)
{
    struct wait_sampler *all = h->all;
    uint64_t expirations;
    pthread_mutex_lock(&all->lock);
    h->due_ns = INT64_MAX;
    if (!all->stop)
        look(all, UINT_MAX);
    while (!all->stop && clock_now_ns() < h->due_ns) {
        pthread_mutex_unlock(&all->lock);
        while (read(h->timer, &expirations, sizeof(expirations)) < 0 && errno == EINTR)
            ;
        pthread_mutex_lock(&all->lock);
    }
    const int64_t due_ns = all->stop ? 0 : h->due_ns;
    h->due_ns = 0;
    pthread_mutex_unlock(&all->lock);
    return due_ns;
}

/* Takes a sample that is not used, so that the server has parsed and planned the statement before
 * the load begins. */
static void warm_up(struct host *h)
{
    char failure[FAILURE_BYTES] = "";
    if (!check_sessions(h)) {
        end_at_pooler(h);
        return;
    }
    begin_asking(h);
    const enum wait_status status = h->all->source->sample(h->connection, wait_sessions_add,
                                                           &h->sessions, failure, sizeof(failure));
    if (!end_asking(h))
        return;
    if (status == WAIT_SAMPLE_TAKEN)
        remark(h, failure);
    else
        fail(h, status, failure);
}

/* Opens the first connection. Less than SILENT_NS does not count as silence: the server may only be
 * far away. */
static void connect_first(struct host *h)
{
    const int64_t from_ns = clock_now_ns();
    open_connection(h);
    if (h->connection != NULL)
        warm_up(h);
    const int64_t now_ns = clock_now_ns();
    if (now_ns - from_ns >= SILENT_NS)
        wait_join_missed(h, WAIT_LABEL_SILENT, from_ns, now_ns);
}

/* Records the time in which this process did not run. A sample that was to be taken in this time is
 * redrawn, because the time is recorded already. */
static void record_absence(struct host *h, int64_t due_ns, int64_t now_ns)
{
    wait_join_missed(h, WAIT_LABEL_ABSENT, due_ns, now_ns);
    if (h->schedule.next_ns > due_ns)
        wait_schedule_draw(&h->schedule, max_i64(now_ns, h->schedule.from_ns),
                           h->schedule.triggered);
}

static void *sample_host(void *arg)
{
    struct host *h = arg;
    connect_first(h);
    pthread_mutex_lock(&h->all->lock);
    h->ready = true;
    pthread_cond_broadcast(&h->all->changed);
    pthread_mutex_unlock(&h->all->lock);
    wait_schedule_draw(&h->schedule, clock_now_ns(), false);
    for (int64_t due_ns; !h->over && (due_ns = wait_until_due(h)) != 0;) {
        const int64_t now_ns = clock_now_ns();
        if (now_ns - due_ns >= ABSENT_NS && h->number == 0)
            record_absence(h, due_ns, now_ns);
        update_limit(h->all, now_ns);
        if (now_ns >= h->schedule.next_ns)
            wait_schedule_draw(&h->schedule, step(h, now_ns), false);
        if (connect_again(h))
            wait_schedule_draw(&h->schedule, clock_now_ns(), false);
    }
    close_connection(h);
    pthread_mutex_lock(&h->all->lock);
    h->left = true;
    if (--h->all->active == 0)
        waits_look_from(h->all->waits, INT64_MAX);
    pthread_cond_broadcast(&h->all->changed);
    pthread_mutex_unlock(&h->all->lock);
    return NULL;
}

/* Start and end. */

static void start_host(struct wait_sampler *all, unsigned number)
{
    struct host *h = &all->host[number];
    h->all = all;
    h->number = number;
    h->sessions.host = number;
    h->sessions.record = rank_is_alone(&all->settings->rank) ? NULL : all->record;
    h->sessions.hide_texts = !all->settings->wait_events_text;
    /* Each rank samples each host at times of its own. */
    wait_schedule_init(&h->schedule, per_second(all), all->settings->rand.seed,
                       all->settings->rank.number * all->hosts + number);
    h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    pthread_mutex_lock(&all->lock);
    h->started = h->timer >= 0 && thread_start_quiet(&h->thread, sample_host, h) == 0;
    all->active += h->started;
    pthread_mutex_unlock(&all->lock);
    if (!h->started)
        warn(h, h->timer >= 0 ? "no thread could be started" : "no timer could be created");
}

/* Waits until the hosts can be sampled, at most READY_WAIT_NS, so that the load begins after the
 * connections of the sampler were opened. */
static void wait_until_ready(struct wait_sampler *all)
{
    const int64_t deadline_ns = clock_now_ns() + READY_WAIT_NS;
    const struct timespec until = clock_timespec(deadline_ns);
    pthread_mutex_lock(&all->lock);
    for (unsigned i = 0; i < all->hosts; i++)
        while (all->host[i].started && !all->host[i].ready && clock_now_ns() < deadline_ns)
            pthread_cond_timedwait(&all->changed, &all->lock, &until);
    pthread_mutex_unlock(&all->lock);
}

struct wait_sampler *wait_sampler_start(const struct settings *settings, struct waits *waits,
                                        const struct wait_source *source, void *server)
{
    if (source == NULL)
        log_text(LOG_WARNING, "--wait-events has no effect: the test uses no database");
    const unsigned hosts = source != NULL ? source->hosts(server) : 0;
    if (hosts == 0)
        return NULL;
    struct wait_sampler *all = xcalloc(1, sizeof(*all));
    *all = (struct wait_sampler){.settings = settings,
                                 .waits = waits,
                                 .source = source,
                                 .server = server,
                                 .hosts = hosts,
                                 .workers = (unsigned)settings->threads,
                                 .host = xcalloc(hosts, sizeof(*all->host)),
                                 .slow_ns = INT64_MAX,
                                 .slow_known_ns = clock_now_ns(),
                                 .look_late_ns = wait_schedule_late_ns(settings->wait_events),
                                 .record = wait_record_create()};
    pthread_mutex_init(&all->lock, NULL);
    thread_condition_init(&all->changed);
    all->record->per_second = per_second(all);
    const char *name = source->without_session != NULL ? source->without_session(server) : NULL;
    if (name != NULL)
        snprintf(all->record->names.event[WAIT_LABEL_NOT_CONNECTED], WAIT_EVENT_BYTES, "%s", name);
    waits_set_look(waits, look_as_worker, all);
    for (unsigned i = 0; i < hosts; i++)
        start_host(all, i);
    wait_until_ready(all);
    return all;
}

/* Waits until the thread has ended, at most STOP_WAIT_NS after the stop. Called with the lock held.
 * Returns false if the thread did not end and is given up. If it waits for the server, the time
 * until the stop counts as time in which the server did not answer. */
static bool wait_for(struct wait_sampler *all, struct host *h)
{
    const int64_t deadline_ns = all->stop_ns + STOP_WAIT_NS;
    struct timespec until = clock_timespec(deadline_ns);
    while (h->started && !h->left && clock_now_ns() < deadline_ns)
        pthread_cond_timedwait(&all->changed, &all->lock, &until);
    if (h->left || !h->started)
        return true;
    if (h->asking_ns != 0)
        wait_join_missed(h, WAIT_LABEL_SILENT, h->asking_ns, all->stop_ns);
    atomic_store(&h->given_up, true);
    return false;
}

bool wait_sampler_stop(struct wait_sampler *all)
{
    if (all == NULL)
        return true;
    bool all_left = true;
    pthread_mutex_lock(&all->lock);
    if (!all->stop)
        all->stop_ns = clock_now_ns();
    all->stop = true;
    waits_look_from(all->waits, INT64_MAX);
    for (unsigned i = 0; i < all->hosts; i++)
        set_timer(&all->host[i], 0);
    for (unsigned i = 0; i < all->hosts; i++)
        all_left = wait_for(all, &all->host[i]) && all_left;
    pthread_mutex_unlock(&all->lock);
    for (unsigned i = 0; i < all->hosts && all_left; i++)
        if (all->host[i].started) {
            pthread_join(all->host[i].thread, NULL);
            all->host[i].started = false;
        }
    return all_left;
}

/* Records the time until now in which the thread could not take a sample. */
static void catch_up(struct host *h, int64_t now_ns)
{
    pthread_mutex_lock(&h->all->lock);
    const int64_t asking_ns = h->asking_ns, due_ns = h->due_ns;
    pthread_mutex_unlock(&h->all->lock);
    if (asking_ns != 0 && now_ns - asking_ns >= SILENT_NS)
        wait_join_missed(h, WAIT_LABEL_SILENT, asking_ns, now_ns);
    if (due_ns != 0 && now_ns - due_ns >= ABSENT_NS && h->number == 0)
        wait_join_missed(h, WAIT_LABEL_ABSENT, due_ns, now_ns);
}

static void name_sums(struct wait_sampler *all, struct wait_moment *moment)
{
    moment->names = &all->record->names;
    pthread_mutex_lock(&all->lock);
    moment->labels = all->record->names.labels;
    pthread_mutex_unlock(&all->lock);
}

void wait_sampler_moment(struct wait_sampler *all, struct wait_moment *moment)
{
    for (unsigned i = 0; i < all->hosts; i++)
        catch_up(&all->host[i], clock_now_ns());
    waits_sums(all->waits, &moment->sums);
    name_sums(all, moment);
}

void wait_sampler_span(struct wait_sampler *all, int64_t from_ns, int64_t to_ns,
                       struct wait_span *span)
{
    struct wait_moment moment;
    waits_sums_between(all->waits, from_ns, to_ns, &moment.sums);
    name_sums(all, &moment);
    wait_span_of(span, &moment);
}

struct wait_record *wait_sampler_record(struct wait_sampler *all, double elapsed_s)
{
    pthread_mutex_lock(&all->lock);
    struct wait_record *record = wait_record_copy(all->record);
    pthread_mutex_unlock(&all->lock);
    waits_total(all->waits, &record->totals);
    record->elapsed_s = elapsed_s;
    return record;
}

void wait_sampler_destroy(struct wait_sampler *all)
{
    if (all == NULL)
        return;
    for (unsigned i = 0; i < all->hosts; i++) {
        wait_sessions_fini(&all->host[i].sessions);
        if (all->host[i].timer >= 0)
            close(all->host[i].timer);
    }
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    wait_record_free(all->record);
    free(all->host);
    free(all);
}
