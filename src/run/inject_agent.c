/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/clock.h"
#include "run/inject_internal.h"

/* A statement that had not yet begun when it was cancelled is cancelled again. */
#define CANCEL_EVERY_NS (NS_PER_SEC / 4)

static void note_begin(struct agent *a)
{
    a->from_ns = clock_now_ns();
    a->first_span = spans_cut(a->inject->spans, a->from_ns);
    atomic_store(&a->progress, RUNNING);
    a->inject->notify(NULL);
}

static void note_end(struct agent *a, enum injection_state state)
{
    a->to_ns = clock_now_ns();
    a->end_span = spans_cut(a->inject->spans, a->to_ns);
    a->state = state;
    atomic_store(&a->progress, ENDED);
    a->inject->notify(NULL);
}

static void fail_to_start(struct agent *a, int error)
{
    snprintf(a->failure, sizeof(a->failure), "it cannot be started: %s", strerror(error));
    note_end(a, INJECTION_FAILED);
}

static enum injection_state outcome_of(struct agent *a, const struct inject_command *c)
{
    a->exit_code = c->exit_code;
    a->signal = c->signal;
    if (c->kill_ns != INT64_MAX)
        return INJECTION_STOPPED;
    if (c->signal != 0)
        snprintf(a->failure, sizeof(a->failure), "signal %d (%s)", c->signal, strsignal(c->signal));
    else if (c->exit_code != 0)
        snprintf(a->failure, sizeof(a->failure), "exit code %d", c->exit_code);
    return a->failure[0] == '\0' ? INJECTION_DONE : INJECTION_FAILED;
}

static void run_command(struct agent *a)
{
    struct inject_command c;
    int error = inject_command_start(&c, a->action->argv, &a->tail);
    if (error != 0) {
        fail_to_start(a, error);
    } else if (inject_command_wait(&c, a->inject->stop_fd)) {
        note_end(a, outcome_of(a, &c));
        inject_command_finish(&c, a->inject->stop_fd);
    } else {
        note_end(a, INJECTION_LEFT);
    }
}

/* NULL: nothing for the canceller to cancel. False: it has come already. */
static bool show_session(struct agent *a, void *session)
{
    pthread_mutex_lock(&a->lock);
    a->session = session;
    pthread_mutex_unlock(&a->lock);
    return !atomic_load(&a->inject->stopping);
}

static void run_session(struct agent *a)
{
    const struct workload *w = &a->inject->workload;
    char answer[INJECT_FAILURE_BYTES] = "";
    void *session = w->ops->session_open(w->self, a->failure, sizeof(a->failure));
    if (session == NULL) {
        note_end(a, INJECTION_FAILED);
        return;
    }
    int rc = show_session(a, session)
                 ? w->ops->session_execute(session, a->action->text, answer, sizeof(answer))
                 : -1;
    bool stopped = rc != 0 && atomic_load(&a->inject->stopping);
    if (rc != 0 && !stopped)
        snprintf(a->failure, sizeof(a->failure), "%s", answer);
    else
        inject_tail_add(&a->tail, answer, strlen(answer));
    note_end(a, stopped ? INJECTION_STOPPED : rc != 0 ? INJECTION_FAILED : INJECTION_DONE);
    show_session(a, NULL);
    w->ops->session_close(session);
}

void *inject_agent_main(void *arg)
{
    struct agent *a = arg;
    note_begin(a);
    if (a->action->kind == INJECT_SESSION)
        run_session(a);
    else
        run_command(a);
    atomic_store(&a->done, true);
    a->inject->notify(NULL);
    return NULL;
}

void *inject_cancel_main(void *arg)
{
    struct agent *a = arg;
    const struct workload_ops *ops = a->inject->workload.ops;
    const int64_t deadline_ns = a->inject->stop_ns + INJECT_PATIENCE_NS;
    while (atomic_load(&a->progress) != ENDED && clock_now_ns() < deadline_ns) {
        pthread_mutex_lock(&a->lock);
        if (a->session != NULL)
            ops->session_cancel(a->session);
        pthread_mutex_unlock(&a->lock);
        clock_sleep_until_ns(clock_now_ns() + CANCEL_EVERY_NS);
    }
    atomic_store(&a->canceller_done, true);
    a->inject->notify(NULL);
    return NULL;
}

void inject_agent_fail(struct agent *a, int error)
{
    note_begin(a);
    fail_to_start(a, error);
}
