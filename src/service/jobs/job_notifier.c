/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_notifier.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"
#include "service/jobs/job_json.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/webhook.h"

/* The webhook of a target. */
struct hook {
    const struct target *target;
    struct webhook *webhook;
};

struct job_notifier {
    const struct target_list *targets;
    struct archive *archive; /* used by the thread only */
    struct hook *hook;       /* used by the thread only */
    size_t hooks;
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

/* Returns the webhook of a target, which is started on first use. Returns NULL after a logged
 * message. */
static struct webhook *webhook_of(struct job_notifier *n, const struct target *target)
{
    for (size_t i = 0; i < n->hooks; i++)
        if (n->hook[i].target == target)
            return n->hook[i].webhook;
    struct webhook *webhook = webhook_start(target->webhook);
    if (webhook != NULL) {
        n->hook = xrealloc(n->hook, (n->hooks + 1) * sizeof(*n->hook));
        n->hook[n->hooks++] = (struct hook){target, webhook};
    }
    return webhook;
}

static void notify(struct job_notifier *n, int64_t id)
{
    json_t *job = NULL, *runs;
    jobs_each(n->archive, &(struct jobs_filter){.id = id}, keep_json, &job);
    const char *name = json_string_value(json_object_get(job, "target"));
    const struct target *target = name != NULL ? target_list_find(n->targets, name) : NULL;
    if (target != NULL && target->webhook != NULL &&
        (runs = job_json_runs(n->archive, id)) != NULL) {
        struct webhook *webhook = webhook_of(n, target);
        json_object_set_new(job, "runs", runs);
        if (webhook != NULL)
            webhook_put(webhook, checked_alloc(json_dumps(job, JSON_COMPACT)));
    }
    json_decref(job);
}

/* Waits for the next ended job and returns its number. Returns 0 if the notifier stops and all jobs
 * have been handled. */
static int64_t next(struct job_notifier *n)
{
    int64_t id = 0;
    pthread_mutex_lock(&n->mutex);
    while (n->count == 0 && !n->stop)
        pthread_cond_wait(&n->woken, &n->mutex);
    if (n->count > 0) {
        id = n->ended[0];
        n->count--;
        for (size_t i = 0; i < n->count; i++)
            n->ended[i] = n->ended[i + 1];
    }
    pthread_mutex_unlock(&n->mutex);
    return id;
}

static void *work(void *arg)
{
    struct job_notifier *n = arg;
    int64_t id;
    while ((id = next(n)) > 0)
        notify(n, id);
    return NULL;
}

/* Ends the queues. All of them have the same time limit, so that their number does not matter. */
static void end_webhooks(struct job_notifier *n)
{
    const int64_t end_ns = clock_now_ns() + WEBHOOK_NS;
    for (size_t i = 0; i < n->hooks; i++)
        webhook_end(n->hook[i].webhook, end_ns);
    for (size_t i = 0; i < n->hooks; i++)
        webhook_destroy(n->hook[i].webhook);
    free(n->hook);
}

static void destroy(struct job_notifier *n)
{
    archive_close(n->archive);
    pthread_mutex_destroy(&n->mutex);
    pthread_cond_destroy(&n->woken);
    free(n->ended);
    free(n);
}

struct job_notifier *job_notifier_start(const char *archive, const struct target_list *targets)
{
    struct job_notifier *n = xcalloc(1, sizeof(*n));
    n->targets = targets;
    pthread_mutex_init(&n->mutex, NULL);
    pthread_cond_init(&n->woken, NULL);
    n->archive = archive_open(archive, true);
    if (n->archive != NULL && thread_start_quiet(&n->thread, work, n) == 0)
        return n;
    if (n->archive != NULL)
        log_text(LOG_FATAL, "cannot start the thread for webhooks");
    destroy(n);
    return NULL;
}

void job_notifier_stop(struct job_notifier *n)
{
    if (n == NULL)
        return;
    pthread_mutex_lock(&n->mutex);
    n->stop = true;
    pthread_cond_signal(&n->woken);
    pthread_mutex_unlock(&n->mutex);
    pthread_join(n->thread, NULL);
    end_webhooks(n);
    destroy(n);
}

void job_notifier_add(struct job_notifier *n, int64_t id)
{
    pthread_mutex_lock(&n->mutex);
    n->ended = xrealloc(n->ended, (n->count + 1) * sizeof(*n->ended));
    n->ended[n->count++] = id;
    pthread_cond_signal(&n->woken);
    pthread_mutex_unlock(&n->mutex);
}
