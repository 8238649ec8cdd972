/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_teller.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"
#include "service/jobs/job_hook.h"
#include "service/jobs/job_hook_line.h"
#include "service/jobs/job_json.h"
#include "service/jobs/job_queue.h"

struct told {
    const struct target *target;
    struct job_hook_line *line;
};

struct job_teller {
    const struct target_list *targets;
    struct archive *archive; /* used by the thread only */
    struct told *told;       /* queues of webhooks; used by the thread only */
    size_t told_count;
    pthread_t thread;
    pthread_mutex_t mutex; /* protects the fields below */
    pthread_cond_t woken;
    int64_t *ended; /* numbers of ended jobs, oldest first */
    size_t count;
    bool stop;
};

static void keep_json(void *arg, const struct job *job)
{
    *(json_t **)arg = job_json(job);
}

/* Returns the queue of the target's webhook, which is started on first use. Returns NULL after a
 * logged message. */
static struct job_hook_line *line_of(struct job_teller *t, const struct target *target)
{
    for (size_t i = 0; i < t->told_count; i++)
        if (t->told[i].target == target)
            return t->told[i].line;
    struct job_hook_line *line = job_hook_line_start(target->webhook);
    if (line != NULL) {
        t->told = xrealloc(t->told, (t->told_count + 1) * sizeof(*t->told));
        t->told[t->told_count++] = (struct told){target, line};
    }
    return line;
}

static void post(struct job_teller *t, const struct target *target, const json_t *job)
{
    struct job_hook_line *line = line_of(t, target);
    if (line != NULL)
        job_hook_line_put(line, checked_alloc(json_dumps(job, JSON_COMPACT)));
}

static void tell(struct job_teller *t, int64_t id)
{
    json_t *job = NULL, *runs;
    jobs_each(t->archive, &(struct jobs_filter){.id = id}, keep_json, &job);
    const char *name = json_string_value(json_object_get(job, "target"));
    const struct target *target = name != NULL ? target_list_find(t->targets, name) : NULL;
    if (target != NULL && target->webhook != NULL &&
        (runs = job_json_runs(t->archive, id)) != NULL) {
        json_object_set_new(job, "runs", runs);
        post(t, target, job);
    }
    json_decref(job);
}

/* Waits for the next ended job and returns its number. Returns 0 if the notifier stops and all jobs
 * have been handled. */
static int64_t next(struct job_teller *t)
{
    int64_t id = 0;
    pthread_mutex_lock(&t->mutex);
    while (t->count == 0 && !t->stop)
        pthread_cond_wait(&t->woken, &t->mutex);
    if (t->count > 0) {
        id = t->ended[0];
        t->count--;
        for (size_t i = 0; i < t->count; i++)
            t->ended[i] = t->ended[i + 1];
    }
    pthread_mutex_unlock(&t->mutex);
    return id;
}

static void *work(void *arg)
{
    struct job_teller *t = arg;
    int64_t id;
    while ((id = next(t)) > 0)
        tell(t, id);
    return NULL;
}

/* Ends the queues. All of them have the same time limit, so that their number does not matter. */
static void end_lines(struct job_teller *t)
{
    const int64_t end_ns = clock_now_ns() + JOB_HOOK_NS;
    for (size_t i = 0; i < t->told_count; i++)
        job_hook_line_end(t->told[i].line, end_ns);
    for (size_t i = 0; i < t->told_count; i++)
        job_hook_line_destroy(t->told[i].line);
    free(t->told);
}

static void destroy(struct job_teller *t)
{
    archive_close(t->archive);
    pthread_mutex_destroy(&t->mutex);
    pthread_cond_destroy(&t->woken);
    free(t->ended);
    free(t);
}

struct job_teller *job_teller_start(const char *archive, const struct target_list *targets)
{
    struct job_teller *t = xcalloc(1, sizeof(*t));
    t->targets = targets;
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->woken, NULL);
    t->archive = archive_open(archive, true);
    if (t->archive != NULL && thread_start_quiet(&t->thread, work, t) == 0)
        return t;
    if (t->archive != NULL)
        log_text(LOG_FATAL, "cannot start the thread for webhooks");
    destroy(t);
    return NULL;
}

void job_teller_stop(struct job_teller *t)
{
    if (t == NULL)
        return;
    pthread_mutex_lock(&t->mutex);
    t->stop = true;
    pthread_cond_signal(&t->woken);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    end_lines(t);
    destroy(t);
}

void job_teller_tell(struct job_teller *t, int64_t id)
{
    pthread_mutex_lock(&t->mutex);
    t->ended = xrealloc(t->ended, (t->count + 1) * sizeof(*t->ended));
    t->ended[t->count++] = id;
    pthread_cond_signal(&t->woken);
    pthread_mutex_unlock(&t->mutex);
}
