/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service/jobs/job_hook_line.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"
#include "service/jobs/job_hook.h"

/* Time after `end_ns` for the thread to set `over`. */
#define SPARE_NS NS_PER_SEC

struct job_hook_line {
    char *url;
    pthread_t thread;
    pthread_mutex_t mutex; /* protects the fields below */
    pthread_cond_t moved;  /* signalled when one of them changes */
    char **text;           /* texts to send, oldest first */
    size_t count;
    int64_t end_ns; /* time after which nothing is sent; INT64_MAX until it is known */
    bool over;      /* the thread sends nothing more */
};

/* Waits for the next text and returns it; the caller frees it. Sets *until_ns to the time limit for
 * sending it. Returns NULL if no text is left and the end was announced, or if `end_ns` is over. */
static char *take(struct job_hook_line *l, int64_t *until_ns)
{
    char *text = NULL;
    pthread_mutex_lock(&l->mutex);
    while (l->count == 0 && l->end_ns == INT64_MAX)
        pthread_cond_wait(&l->moved, &l->mutex);
    if (l->count > 0 && clock_now_ns() < l->end_ns) {
        text = l->text[0];
        l->count--;
        for (size_t i = 0; i < l->count; i++)
            l->text[i] = l->text[i + 1];
    }
    *until_ns = min_i64(l->end_ns, clock_now_ns() + JOB_HOOK_NS);
    pthread_mutex_unlock(&l->mutex);
    return text;
}

static void *work(void *arg)
{
    struct job_hook_line *l = arg;
    int64_t until_ns;
    for (char *text; (text = take(l, &until_ns)) != NULL; free(text))
        job_hook_post(l->url, text, until_ns);
    if (l->count > 0)
        log_text(LOG_WARNING, "a webhook did not receive %zu notifications, because the service "
                              "has ended",
                 l->count);
    pthread_mutex_lock(&l->mutex);
    l->over = true;
    pthread_cond_signal(&l->moved);
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

static void destroy(struct job_hook_line *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->text[i]);
    pthread_mutex_destroy(&l->mutex);
    pthread_cond_destroy(&l->moved);
    free(l->text);
    free(l->url);
    free(l);
}

struct job_hook_line *job_hook_line_start(const char *url)
{
    struct job_hook_line *l = xcalloc(1, sizeof(*l));
    l->url = xstrdup(url);
    l->end_ns = INT64_MAX;
    pthread_mutex_init(&l->mutex, NULL);
    thread_condition_init(&l->moved);
    if (thread_start_quiet(&l->thread, work, l) == 0)
        return l;
    log_text(LOG_WARNING, "cannot start a thread for a webhook");
    destroy(l);
    return NULL;
}

void job_hook_line_put(struct job_hook_line *l, char *text)
{
    pthread_mutex_lock(&l->mutex);
    l->text = xrealloc(l->text, (l->count + 1) * sizeof(*l->text));
    l->text[l->count++] = text;
    pthread_cond_signal(&l->moved);
    pthread_mutex_unlock(&l->mutex);
}

void job_hook_line_end(struct job_hook_line *l, int64_t end_ns)
{
    pthread_mutex_lock(&l->mutex);
    l->end_ns = end_ns;
    pthread_cond_signal(&l->moved);
    pthread_mutex_unlock(&l->mutex);
}

void job_hook_line_destroy(struct job_hook_line *l)
{
    pthread_mutex_lock(&l->mutex);
    const struct timespec until = clock_timespec(clock_after_ns(l->end_ns, SPARE_NS));
    while (!l->over && pthread_cond_timedwait(&l->moved, &l->mutex, &until) == 0)
        continue;
    const bool over = l->over;
    pthread_mutex_unlock(&l->mutex);
    if (over) {
        pthread_join(l->thread, NULL);
        destroy(l);
    } else {
        pthread_detach(l->thread);
    }
}
