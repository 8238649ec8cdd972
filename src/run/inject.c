/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/inject.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/secret.h"
#include "report/report.h"
#include "run/inject_internal.h"

/* Its life. */

static void agent_init(struct inject *inject, unsigned i, const struct inject_action *action)
{
    struct agent *a = &inject->agents[i];
    *a = (struct agent){.inject = inject, .action = action, .exit_code = -1};
    a->result = (struct injection){.number = i + 1,
                                   .kind = inject_kind_names[action->kind],
                                   .text = action->shown,
                                   .at_ns = action->at_ns,
                                   .level_ns = -1,
                                   .recovery_ns = -1};
    pthread_mutex_init(&a->lock, NULL);
    distribution_init(&a->result.before.response);
    distribution_init(&a->result.during.response);
    distribution_init(&a->result.after.response);
}

static void agent_fini(struct agent *a)
{
    distribution_fini(&a->result.before.response);
    distribution_fini(&a->result.during.response);
    distribution_fini(&a->result.after.response);
    free((char *)a->result.error);
    free((char *)a->result.output);
    pthread_mutex_destroy(&a->lock);
}

/* Whether there is somebody to execute all that is asked for. */
static int check_plan(const struct inject_plan *plan, const struct workload *workload)
{
    for (unsigned i = 0; i < plan->count; i++)
        if (plan->actions[i].kind == INJECT_SESSION && workload->ops->session_open == NULL) {
            log_text(LOG_FATAL, "--inject: this test has no database to execute '%s: %s'",
                     inject_kind_names[INJECT_SESSION], plan->actions[i].shown);
            return -1;
        }
    return 0;
}

int inject_create(struct inject **inject, const struct settings *settings, struct workload workload,
                  void (*notify)(void *arg))
{
    const struct inject_plan *plan = &settings->inject;
    *inject = NULL;
    if (plan->count == 0)
        return 0;
    int stop_fd = check_plan(plan, &workload) == 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    if (stop_fd < 0)
        return -1;
    struct inject *new = xcalloc(1, sizeof(*new));
    *new = (struct inject){.workload = workload,
                           .notify = notify,
                           .threads = (unsigned)settings->threads,
                           .recovery = recovery_create(settings),
                           .stop_fd = stop_fd,
                           .count = plan->count,
                           .agents = xcalloc(plan->count, sizeof(*new->agents))};
    for (unsigned i = 0; i < plan->count; i++)
        agent_init(new, i, &plan->actions[i]);
    *inject = new;
    return 0;
}

void inject_destroy(struct inject *inject)
{
    if (inject == NULL)
        return;
    for (unsigned i = 0; i < inject->count; i++)
        agent_fini(&inject->agents[i]);
    free(inject->agents);
    free(inject->results);
    recovery_destroy(inject->recovery);
    spans_destroy(inject->spans);
    close(inject->stop_fd);
    free(inject);
}

void inject_listen(struct inject *inject, struct outputs *outputs)
{
    if (inject != NULL)
        outputs_add(outputs, recovery_output(inject->recovery));
}

void inject_begin(struct inject *inject, int64_t start_ns, int64_t measure_ns)
{
    if (inject == NULL)
        return;
    inject->start_ns = start_ns;
    inject->measure_ns = measure_ns;
    inject->spans = spans_create(inject->threads, measure_ns);
    recovery_begin(inject->recovery, start_ns);
}

struct spans *inject_spans(struct inject *inject)
{
    return inject != NULL ? inject->spans : NULL;
}

/* In the controlling thread. */

/* Signals are for the calling thread alone. */
static int start_thread(pthread_t *thread, void *(*body)(void *), struct agent *a)
{
    interrupt_mask();
    int error = pthread_create(thread, NULL, body, a);
    interrupt_unmask();
    return error;
}

static void start_agent(struct agent *a)
{
    int error = start_thread(&a->thread, inject_agent_main, a);
    a->started = error == 0;
    if (error != 0)
        inject_agent_fail(a, error);
}

int64_t inject_next_ns(const struct inject *inject)
{
    if (inject == NULL || inject->next == inject->count)
        return INT64_MAX;
    return inject->start_ns + inject->agents[inject->next].action->at_ns;
}

static int64_t since_start(const struct agent *a, int64_t at_ns)
{
    return at_ns - a->inject->start_ns;
}

/*
 * Where the injection that ended last before this one began has ended, else where the measured part
 * begins.
 */
static int64_t quiet_since_ns(const struct agent *a)
{
    int64_t since_ns = a->inject->measure_ns;
    for (unsigned i = 0; i < a->inject->count; i++) {
        const struct agent *other = &a->inject->agents[i];
        if (other->told == ENDED && other->to_ns <= a->from_ns)
            since_ns = max_i64(since_ns, other->to_ns);
    }
    return since_start(a, since_ns);
}

static void tell_begin(struct agent *a)
{
    a->told = RUNNING;
    a->result.from_ns = since_start(a, a->from_ns);
    recovery_watch(a->inject->recovery, &a->watch, quiet_since_ns(a), a->result.from_ns);
    if (log_enabled(LOG_NOTICE))
        report_injection_begin(stdout, &a->result);
    log_flush_stdout();
}

static void tell_end(struct agent *a)
{
    a->told = ENDED;
    a->result.to_ns = since_start(a, a->to_ns);
    a->result.state = a->state;
    a->result.exit_code = a->exit_code;
    a->result.signal = a->signal;
    if (a->failure[0] != '\0')
        a->result.error = secret_mask_output(a->failure, a->action->text);
    a->watch.after_ns = a->result.to_ns;
    if (log_enabled(LOG_NOTICE))
        report_injection_end(stdout, &a->result);
    log_flush_stdout();
    if (a->result.error != NULL)
        log_text(LOG_WARNING, "injection %u (%s: %s) failed: %s", a->result.number, a->result.kind,
                 a->result.text, a->result.error);
}

static void tell(struct inject *inject)
{
    for (unsigned i = 0; i < inject->count; i++) {
        struct agent *a = &inject->agents[i];
        enum progress progress = (enum progress)atomic_load(&a->progress);
        if (progress >= RUNNING && a->told < RUNNING)
            tell_begin(a);
        if (progress == ENDED && a->told < ENDED)
            tell_end(a);
    }
}

void inject_step(struct inject *inject, int64_t now_ns)
{
    if (inject == NULL)
        return;
    while (inject_next_ns(inject) <= now_ns)
        start_agent(&inject->agents[inject->next++]);
    tell(inject);
}

void inject_stop(struct inject *inject)
{
    if (inject == NULL)
        return;
    inject->next = inject->count;
    inject->stop_ns = clock_now_ns();
    atomic_store(&inject->stopping, true);
    eventfd_write(inject->stop_fd, 1);
    for (unsigned i = 0; i < inject->count; i++) {
        struct agent *a = &inject->agents[i];
        if (a->started && a->action->kind == INJECT_SESSION && atomic_load(&a->progress) != ENDED)
            a->cancelled = start_thread(&a->canceller, inject_cancel_main, a) == 0;
    }
}

static bool is_done(const struct agent *a)
{
    return (!a->started || atomic_load(&a->done)) &&
           (!a->cancelled || atomic_load(&a->canceller_done));
}

static bool all_done(const struct inject *inject)
{
    for (unsigned i = 0; i < inject->count; i++)
        if (!is_done(&inject->agents[i]))
            return false;
    return true;
}

/* What it printed can be read now that its thread is gone. */
static void join(struct agent *a)
{
    if (a->cancelled)
        pthread_join(a->canceller, NULL);
    if (!a->started)
        return;
    pthread_join(a->thread, NULL);
    char *text = inject_tail_text(&a->tail);
    a->result.output = secret_mask_output(text, a->action->text);
    a->result.output_bytes = a->tail.bytes;
    free(text);
}

static void leave(const struct agent *a)
{
    pthread_detach(a->thread);
    if (a->cancelled)
        pthread_detach(a->canceller);
    log_text(LOG_WARNING,
             "injection %u (%s: %s) did not end within %g s after the run and is left alone",
             a->result.number, a->result.kind, a->result.text, ns_to_seconds(INJECT_PATIENCE_NS));
}

bool inject_finish(struct inject *inject)
{
    bool finished = true;
    if (inject == NULL)
        return true;
    while (!all_done(inject) && clock_now_ns() < inject->stop_ns + INJECT_PATIENCE_NS) {
        tell(inject);
        interrupt_wait(inject->stop_ns + INJECT_PATIENCE_NS);
    }
    tell(inject);
    for (unsigned i = 0; i < inject->count; i++) {
        bool done = is_done(&inject->agents[i]);
        if (done)
            join(&inject->agents[i]);
        else
            leave(&inject->agents[i]);
        finished = finished && done;
    }
    return finished;
}

/* The results. */

/* Where a span begins, within the run. */
static int64_t border_ns(const struct agent *a, unsigned span, int64_t end_ns)
{
    const struct spans *spans = a->inject->spans;
    if (span < spans_count(spans))
        end_ns = min_i64(end_ns, spans_from_ns(spans, span));
    return since_start(a, end_ns);
}

static void gather(const struct agent *a, struct injection_span *span, unsigned first, unsigned end,
                   int64_t end_ns)
{
    span->from_ns = border_ns(a, first, end_ns);
    span->to_ns = border_ns(a, end, end_ns);
    spans_add_to(a->inject->spans, first, end, &span->response);
}

static void gather_spans(struct agent *a, int64_t end_ns)
{
    const unsigned count = spans_count(a->inject->spans);
    const unsigned end = a->told == ENDED ? a->end_span : count;
    unsigned before = 0, after = count;
    for (unsigned i = 0; i < a->inject->count; i++) {
        const struct agent *other = &a->inject->agents[i];
        if (other->told == ENDED && other->end_span <= a->first_span)
            before = other->end_span > before ? other->end_span : before;
        if (other != a && other->told != WAITING && other->first_span >= end)
            after = min_u32(after, other->first_span);
    }
    gather(a, &a->result.before, before, a->first_span, end_ns);
    gather(a, &a->result.during, a->first_span, end, end_ns);
    gather(a, &a->result.after, end, after, end_ns);
}

static void complete_result(struct agent *a, int64_t end_ns)
{
    a->result.percentile = recovery_percentile(a->inject->recovery);
    a->result.window_ns = recovery_window_ns(a->inject->recovery);
    if (a->told == WAITING)
        return;
    if (a->told == RUNNING) {
        a->result.state = INJECTION_LEFT;
        a->result.to_ns = since_start(a, end_ns);
    }
    a->result.level_ns = a->watch.level_ns;
    if (a->watch.back_ns >= 0)
        a->result.recovery_ns = a->watch.back_ns - a->result.to_ns;
    gather_spans(a, end_ns);
}

const struct injection *inject_results(struct inject *inject, int64_t end_ns, unsigned *count)
{
    *count = inject != NULL ? inject->count : 0;
    if (inject == NULL)
        return NULL;
    inject->results = xcalloc(inject->count, sizeof(*inject->results));
    for (unsigned i = 0; i < inject->count; i++) {
        complete_result(&inject->agents[i], end_ns);
        inject->results[i] = inject->agents[i].result;
    }
    return inject->results;
}
