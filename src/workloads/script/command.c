/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/command.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "options/cmdline.h"
#include "workloads/script/script_api.h"
#include "workloads/script/script_options.h"

#define PROGRESS_INTERVAL_NS (NS_PER_SEC / 5)

struct command {
    const char *name;
    const struct settings *settings;
    const struct script_source *source;
    struct sql *sql;

    /* guards all members below; `moved` is signalled if `generation` or `failed` changes */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    unsigned parties;    /* number of threads that have not ended */
    unsigned at_barrier; /* number of threads that wait at the barrier */
    unsigned generation; /* number of barriers passed */
    double claimed;      /* units of work handed out by command_claim() since the last barrier */
    bool failed;

    const struct command_peers *peers; /* NULL if the process is alone */
    bool divided; /* several processes share the command without exchanging messages (--node) */

    bool show_progress; /* true if standard error is a terminal */
    double rows_total, rows_done;
    int64_t began_ns, shown_ns;
};

struct command_thread {
    struct command *command;
    unsigned id;
    struct rand rand;
    pthread_t thread;
};

static _Thread_local struct command *current;
static _Thread_local unsigned current_id; /* number of the thread in this process */

static void open_barrier(struct command *c)
{
    c->at_barrier = 0;
    c->claimed = 0;
    c->generation++;
    pthread_cond_broadcast(&c->moved);
}

/* Called when all threads that have not ended are at the barrier. If there are peers, the thread
 * that runs the command waits for them. */
static void barrier_is_full(struct command *c)
{
    if (c->peers == NULL)
        open_barrier(c);
    else
        pthread_cond_broadcast(&c->moved);
}

bool command_barrier(void)
{
    struct command *c = current;
    if (c == NULL)
        return true;
    pthread_mutex_lock(&c->lock);
    unsigned generation = c->generation;
    /* After a failure, threads do not wait at a barrier. */
    if (!c->failed && ++c->at_barrier == c->parties)
        barrier_is_full(c);
    while (generation == c->generation && !c->failed)
        pthread_cond_wait(&c->moved, &c->lock);
    bool go_on = !c->failed;
    pthread_mutex_unlock(&c->lock);
    return go_on;
}

bool command_find_place(command_place *place)
{
    const struct command *c = current;
    if (c == NULL || !c->divided)
        return false;
    const struct rank *rank = &c->settings->rank;
    *place = (command_place){rank->number, rank->count, current_id, (uint32_t)c->settings->threads};
    return true;
}

/* A thread has ended: threads at a barrier do not wait for it. */
static void leave(struct command *c, bool failed)
{
    pthread_mutex_lock(&c->lock);
    c->failed = c->failed || failed;
    c->parties--;
    if (failed)
        open_barrier(c);
    else if (c->at_barrier == c->parties && (c->at_barrier > 0 || c->peers != NULL))
        barrier_is_full(c);
    pthread_mutex_unlock(&c->lock);
}

static void show_progress(const struct command *c, int64_t now_ns)
{
    double seconds = ns_to_seconds(now_ns - c->began_ns);
    double rate = seconds > 0 ? c->rows_done / seconds : 0;
    fprintf(stderr, "\r%.0f of %.0f rows, %.0f rows/s", c->rows_done, c->rows_total, rate);
    if (rate > 0 && c->rows_total > c->rows_done)
        fprintf(stderr, ", %.0f s left", (c->rows_total - c->rows_done) / rate);
    fprintf(stderr, "\033[K%s", c->rows_done >= c->rows_total ? "\n" : "");
}

void command_progress_total(double n)
{
    struct command *c = current;
    if (c == NULL)
        return;
    /* Only one thread of all processes announces the total. Each process shows the progress of its
     * share. */
    if (c->peers != NULL)
        n *= rank_share(&c->settings->rank);
    pthread_mutex_lock(&c->lock);
    c->rows_total += n;
    if (c->began_ns == 0)
        c->began_ns = clock_now_ns();
    pthread_mutex_unlock(&c->lock);
}

void command_progress(double n)
{
    struct command *c = current;
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->rows_done += n;
    int64_t now_ns = clock_now_ns();
    bool due = now_ns - c->shown_ns >= PROGRESS_INTERVAL_NS || c->rows_done >= c->rows_total;
    if (c->show_progress && due) {
        show_progress(c, now_ns);
        c->shown_ns = now_ns;
    }
    pthread_mutex_unlock(&c->lock);
}

double command_claim(void)
{
    static _Thread_local double alone;
    struct command *c = current;
    if (c == NULL)
        return alone++;
    pthread_mutex_lock(&c->lock);
    double n = c->failed ? INFINITY : c->claimed++;
    pthread_mutex_unlock(&c->lock);
    /* The processes take the numbers in turn. */
    return c->peers != NULL ? n * c->peers->count + c->peers->number : n;
}

static int run_in_own_state(struct command_thread *t)
{
    struct command *c = t->command;
    const unsigned number = settings_worker(c->settings, t->id);
    rand_init(&t->rand, &c->settings->rand, number);
    sql_thread_enter(c->sql, NULL, number);
    sql_thread_report_waits();
    struct script *script = script_create(c->source, (int)number, &t->rand);
    if (script == NULL)
        return -1;
    script_export_options(script);
    int rc = script_load(script);
    if (rc == 0)
        rc = script_run_command(script, c->name);
    script_destroy(script);
    return rc;
}

static void *thread_main(void *arg)
{
    struct command_thread *t = arg;
    current = t->command;
    current_id = t->id;
    leave(t->command, run_in_own_state(t) != 0);
    return NULL;
}

static int start_threads(struct command *c, struct command_thread *threads, unsigned *started)
{
    for (*started = 0; *started < c->settings->threads; (*started)++) {
        struct command_thread *t = &threads[*started];
        *t = (struct command_thread){.command = c, .id = *started};
        int rc = pthread_create(&t->thread, NULL, thread_main, t);
        if (rc != 0) {
            log_text(LOG_FATAL, "cannot start thread %u of %lld: %s", *started + 1,
                     (long long)c->settings->threads, strerror(rc));
            return -1;
        }
    }
    return 0;
}

/* Meets the peers at each barrier until all threads of this process have ended. */
static void meet_peers(struct command *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->parties > 0) {
        if (c->failed || c->at_barrier < c->parties) {
            pthread_cond_wait(&c->moved, &c->lock);
            continue;
        }
        pthread_mutex_unlock(&c->lock);
        const bool go_on = c->peers->meet(c->peers->arg);
        pthread_mutex_lock(&c->lock);
        c->failed = c->failed || !go_on;
        open_barrier(c);
    }
    pthread_mutex_unlock(&c->lock);
}

static void run_parallel(struct command *c)
{
    struct command_thread *threads = xcalloc((size_t)c->settings->threads, sizeof(*threads));
    unsigned started;
    c->parties = (unsigned)c->settings->threads;
    if (start_threads(c, threads, &started) != 0) {
        for (unsigned i = started; i < c->settings->threads; i++)
            leave(c, true);
    }
    if (c->peers != NULL)
        meet_peers(c);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i].thread, NULL);
    free(threads);
}

static void run_serial(struct command *c, struct script *script)
{
    c->parties = 1;
    current = c;
    c->failed = script_run_command(script, c->name) != 0;
    current = NULL;
}

int command_run(const char *command, const struct settings *settings,
                const struct script_source *source, struct sql *sql, struct script *main_script,
                const struct command_peers *peers)
{
    enum script_command kind = script_find_command(main_script, command);
    if (kind == SCRIPT_COMMAND_NONE) {
        cmdline_refuse_command(source->test, command);
        return -1;
    }

    if (kind != SCRIPT_COMMAND_PARALLEL && settings->rank.number > 0) {
        log_text(LOG_NOTICE, "'%s' of this script is executed by rank 0 alone", command);
        return 0;
    }

    struct command c = {.name = command,
                        .settings = settings,
                        .source = source,
                        .sql = sql,
                        .peers = kind == SCRIPT_COMMAND_PARALLEL ? peers : NULL,
                        .divided = kind == SCRIPT_COMMAND_PARALLEL && settings->node.count > 1 &&
                                   !rank_is_alone(&settings->rank),
                        .show_progress = isatty(STDERR_FILENO)};
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.moved, NULL);
    if (kind == SCRIPT_COMMAND_PARALLEL) {
        if (settings->threads > 1)
            log_text(LOG_NOTICE, "Initializing worker threads...\n");
        run_parallel(&c);
    } else {
        run_serial(&c, main_script);
    }
    pthread_cond_destroy(&c.moved);
    pthread_mutex_destroy(&c.lock);
    return c.failed ? -1 : 0;
}
