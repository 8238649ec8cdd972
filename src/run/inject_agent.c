/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inject_agent.h"

#include <string.h>

#include "run/inject_command.h"

/* How often a session is cancelled again: a cancellation has no effect if the statement had not
 * begun. */
#define CANCEL_EVERY_NS (NS_PER_SEC / 4)

void inject_agent_init(struct inject_agent *a, struct inject_stage *stage,
                       const struct inject_action *action)
{
    *a = (struct inject_agent){.stage = stage, .action = action, .exit_code = -1};
    pthread_mutex_init(&a->lock, NULL);
}

void inject_agent_fini(struct inject_agent *a)
{
    pthread_mutex_destroy(&a->lock);
}

static void note_begin(struct inject_agent *a)
{
    a->from_ns = clock_now_ns();
    a->first_span = spans_cut(a->stage->spans, a->from_ns);
    if (a->stage->connect_spans != NULL)
        a->first_connect_span = spans_cut(a->stage->connect_spans, a->from_ns);
    atomic_store(&a->progress, INJECT_RUNNING);
    a->stage->notify(NULL);
}

static void note_end(struct inject_agent *a, enum injection_state state)
{
    a->to_ns = clock_now_ns();
    a->end_span = spans_cut(a->stage->spans, a->to_ns);
    if (a->stage->connect_spans != NULL)
        a->end_connect_span = spans_cut(a->stage->connect_spans, a->to_ns);
    a->state = state;
    atomic_store(&a->progress, INJECT_ENDED);
    a->stage->notify(NULL);
}

static void fail_to_start(struct inject_agent *a, int error)
{
    snprintf(a->failure, sizeof(a->failure), "it cannot be started: %s", strerror(error));
    note_end(a, INJECTION_FAILED);
}

static enum injection_state outcome_of(struct inject_agent *a, const struct inject_command *c)
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

static void run_command(struct inject_agent *a)
{
    struct inject_command c;
    int error = inject_command_start(&c, a->action->argv, &a->tail);
    if (error != 0) {
        fail_to_start(a, error);
    } else if (inject_command_wait(&c, a->stage->stop_fd)) {
        note_end(a, outcome_of(a, &c));
        inject_command_finish(&c, a->stage->stop_fd);
    } else {
        note_end(a, INJECTION_LEFT);
    }
}

/* Publishes the session that can be cancelled, or NULL. Returns false if the run is stopping
 * already. */
static bool publish_session(struct inject_agent *a, void *session)
{
    pthread_mutex_lock(&a->lock);
    a->session = session;
    pthread_mutex_unlock(&a->lock);
    return !atomic_load(&a->stage->stopping);
}

/*
 * Returns true if the end of the run has ended the statement. The return code alone is not enough:
 * a server may answer a cancelled statement as if it had succeeded (MySQL does for SELECT SLEEP()).
 */
static bool was_stopped(const struct inject_agent *a, int rc)
{
    return atomic_load(&a->cancelled) || (rc != 0 && atomic_load(&a->stage->stopping));
}

/* Adds the output of a session: the effects of the statement, or why the end of the run has ended
 * it. */
static void add_answer(struct inject_agent *a, const char *failure)
{
    char words[INJECTION_OUTCOME_BYTES];
    injection_outcome_write(&a->outcome, words);
    const char *answer = a->outcome.kind == INJECTION_OUTCOME_ROWS ? words : failure;
    inject_tail_add(&a->tail, answer, strlen(answer));
}

static void run_session(struct inject_agent *a)
{
    const struct workload *w = &a->stage->workload;
    char failure[INJECT_FAILURE_BYTES] = "";
    a->outcome.kind = INJECTION_OUTCOME_NONE;
    void *session = w->ops->session_open(w->server, a->failure, sizeof(a->failure));
    if (session == NULL) {
        note_end(a, INJECTION_FAILED);
        return;
    }
    int rc = publish_session(a, session)
                 ? w->ops->session_execute(session, a->action->text, &a->outcome, failure,
                                        sizeof(failure))
                 : -1;
    bool stopped = was_stopped(a, rc);
    if (rc != 0 && !stopped)
        memcpy(a->failure, failure, sizeof(failure));
    else
        add_answer(a, failure);
    note_end(a, stopped ? INJECTION_STOPPED : rc != 0 ? INJECTION_FAILED : INJECTION_DONE);
    publish_session(a, NULL);
    w->ops->session_close(session);
}

static void run_storm(struct inject_agent *a)
{
    char words[128];
    const struct idle_storm storm =
        idle_pool_storm(a->stage->idle, a->action->count, &a->stage->stopping);
    a->outcome.kind = INJECTION_OUTCOME_NONE;
    const int length =
        snprintf(words, sizeof(words), "%llu connections closed, %llu opened again, %llu refused",
                 (unsigned long long)storm.closed, (unsigned long long)storm.opened,
                 (unsigned long long)storm.refused);
    inject_tail_add(&a->tail, words, (size_t)length);
    note_end(a, atomic_load(&a->stage->stopping) ? INJECTION_STOPPED : INJECTION_DONE);
}

void *inject_agent_main(void *arg)
{
    struct inject_agent *a = arg;
    note_begin(a);
    if (a->action->kind == INJECT_SESSION)
        run_session(a);
    else if (a->action->kind == INJECT_STORM)
        run_storm(a);
    else
        run_command(a);
    atomic_store(&a->done, true);
    a->stage->notify(NULL);
    return NULL;
}

void *inject_cancel_main(void *arg)
{
    struct inject_agent *a = arg;
    const struct workload_ops *ops = a->stage->workload.ops;
    const int64_t deadline_ns = a->stage->stop_ns + INJECT_PATIENCE_NS;
    while (atomic_load(&a->progress) != INJECT_ENDED && clock_now_ns() < deadline_ns) {
        pthread_mutex_lock(&a->lock);
        if (a->session != NULL) {
            atomic_store(&a->cancelled, true);
            ops->session_cancel(a->session);
        }
        pthread_mutex_unlock(&a->lock);
        clock_sleep_until_ns(clock_now_ns() + CANCEL_EVERY_NS);
    }
    atomic_store(&a->canceller_done, true);
    a->stage->notify(NULL);
    return NULL;
}

void inject_agent_fail(struct inject_agent *a, int error)
{
    note_begin(a);
    fail_to_start(a, error);
}
