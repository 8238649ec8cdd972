/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The controlling thread's part of injections: starts them, reports their progress, ends them, and
 * gathers their results. */
#include "run/inject.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/thread.h"
#include "report/text/report.h"
#include "result/recovery.h"
#include "run/inject_agent.h"

/* One injection. */
struct entry {
    struct inject_agent agent;
    struct injection result;
    struct recovery_watch watch;
    enum inject_progress reported; /* the progress that has been reported */
    bool started, cancelled;       /* has a thread; has a thread that cancels it */
    pthread_t thread, canceller;
};

struct inject {
    struct inject_stage stage;
    unsigned threads; /* number of workers */
    bool text;        /* whether to print when an injection begins and ends */
    int64_t start_ns, measure_ns;
    struct recovery *recovery;
    struct stats *stats;  /* records the times to connect */
    unsigned count, next; /* number of entries, index of the next due entry */
    struct entry *entries;
    struct injection *results;
};

/* Preparation. */

static void entry_init(struct inject *inject, unsigned i, const struct inject_action *action)
{
    struct entry *e = &inject->entries[i];
    inject_agent_init(&e->agent, &inject->stage, action);
    e->result = (struct injection){.number = i + 1,
                                   .kind = inject_kind_names[action->kind],
                                   .text = action->shown,
                                   .at_ns = action->at_ns,
                                   .exit_code = -1,
                                   .level_ns = -1,
                                   .recovery_ns = -1};
    distribution_init(&e->result.before.response);
    distribution_init(&e->result.before.connect);
    distribution_init(&e->result.during.response);
    distribution_init(&e->result.during.connect);
    distribution_init(&e->result.after.response);
    distribution_init(&e->result.after.connect);
}

static void entry_fini(struct entry *e)
{
    distribution_fini(&e->result.before.response);
    distribution_fini(&e->result.before.connect);
    distribution_fini(&e->result.during.response);
    distribution_fini(&e->result.during.connect);
    distribution_fini(&e->result.after.response);
    distribution_fini(&e->result.after.connect);
    free((char *)e->result.error);
    free((char *)e->result.output);
    inject_agent_fini(&e->agent);
}

static int check_session(const struct inject_action *action, const struct workload *workload)
{
    const char *kind = inject_kind_names[INJECT_SESSION];
    if (workload->ops->session_open == NULL) {
        log_text(LOG_FATAL, "--inject: this test has no database to execute '%s: %s'", kind,
                 action->shown);
        return -1;
    }
    const char *allowed = workload->ops->session_objection(workload->server, action->text);
    if (allowed != NULL)
        log_text(LOG_FATAL, "invalid value for --inject: '%s: %s' (allowed: %s)", kind,
                 action->shown, allowed);
    return allowed == NULL ? 0 : -1;
}

/*
 * Returns −1 after logging a message if the workload cannot execute one of the planned statements.
 */
static int check_plan(const struct inject_plan *plan, const struct workload *workload)
{
    for (unsigned i = 0; i < plan->count; i++)
        if (plan->actions[i].kind == INJECT_SESSION &&
            check_session(&plan->actions[i], workload) != 0)
            return -1;
    return 0;
}

int inject_create(struct inject **inject, const struct settings *settings, struct workload workload,
                  void (*notify)(void *arg))
{
    const struct inject_plan *plan = &settings->inject;
    *inject = NULL;
    if (plan->count == 0)
        return 0;
    if (check_plan(plan, &workload) != 0)
        return -1;
    int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop_fd < 0) {
        log_errno(LOG_FATAL, "--inject: cannot create an event descriptor");
        return -1;
    }
    struct inject *new = xcalloc(1, sizeof(*new));
    new->stage = (struct inject_stage){.workload = workload, .notify = notify, .stop_fd = stop_fd};
    new->threads = (unsigned)settings->threads;
    new->text = log_enabled(LOG_NOTICE) && settings->layout == LAYOUT_FULL;
    new->recovery = recovery_create(settings, 0);
    new->count = plan->count;
    new->entries = xcalloc(plan->count, sizeof(*new->entries));
    for (unsigned i = 0; i < plan->count; i++)
        entry_init(new, i, &plan->actions[i]);
    *inject = new;
    return 0;
}

void inject_destroy(struct inject *inject)
{
    if (inject == NULL)
        return;
    for (unsigned i = 0; i < inject->count; i++)
        entry_fini(&inject->entries[i]);
    free(inject->entries);
    free(inject->results);
    recovery_destroy(inject->recovery);
    spans_destroy(inject->stage.spans);
    if (inject->stage.connect_spans != NULL)
        spans_destroy(inject->stage.connect_spans);
    close(inject->stage.stop_fd);
    free(inject);
}

static void collect(void *self, const struct snapshot *recorded)
{
    const struct inject *inject = self;
    recovery_add(inject->recovery, &recorded->metric[METRIC_RESPONSE]);
}

static void update(void *self, struct gauges gauges)
{
    const struct inject *inject = self;
    (void)gauges;
    recovery_end_due_window(inject->recovery, clock_now_ns() - inject->start_ns);
}

/* The outputs must not destroy the object: the run does. */
static void destroy_nothing(void *self)
{
    (void)self;
}

void inject_listen(struct inject *inject, struct outputs *outputs)
{
    static const struct output_ops ops = {
        .collect = collect, .update = update, .destroy = destroy_nothing};
    if (inject != NULL)
        outputs_add(outputs, (struct output){&ops, inject});
}

void inject_use(struct inject *inject, struct idle_pool *idle, struct stats *stats)
{
    if (inject == NULL)
        return;
    inject->stage.idle = idle;
    inject->stats = stats;
}

static bool has_storms(const struct inject *inject)
{
    for (unsigned i = 0; i < inject->count; i++)
        if (inject->entries[i].agent.action->kind == INJECT_STORM)
            return true;
    return false;
}

void inject_begin(struct inject *inject, int64_t start_ns, int64_t measure_ns)
{
    if (inject == NULL)
        return;
    inject->start_ns = start_ns;
    inject->measure_ns = measure_ns;
    inject->stage.spans = spans_create(inject->threads, measure_ns);
    if (!has_storms(inject))
        return;
    inject->stage.connect_spans = spans_create(1, measure_ns);
    stats_set_connect_spans(inject->stats, inject->stage.connect_spans);
}

struct spans *inject_spans(struct inject *inject)
{
    return inject != NULL ? inject->stage.spans : NULL;
}

/* During the run. */

static void start_entry(struct entry *e)
{
    int error = thread_start_quiet(&e->thread, inject_agent_main, &e->agent);
    e->started = error == 0;
    if (error != 0)
        inject_agent_fail(&e->agent, error);
}

int64_t inject_next_ns(const struct inject *inject)
{
    if (inject == NULL || inject->next == inject->count)
        return INT64_MAX;
    return inject->start_ns + inject->entries[inject->next].agent.action->at_ns;
}

static int64_t since_start(const struct inject *inject, int64_t at_ns)
{
    return at_ns - inject->start_ns;
}

/*
 * Returns the end of the last injection that ended before `e` began, or the start of the measured
 * part if there is no such injection; in nanoseconds since the start of the run.
 */
static int64_t quiet_since_ns(const struct inject *inject, const struct entry *e)
{
    int64_t since_ns = inject->measure_ns;
    for (unsigned i = 0; i < inject->count; i++) {
        const struct entry *other = &inject->entries[i];
        if (other->reported == INJECT_ENDED && other->agent.to_ns <= e->agent.from_ns)
            since_ns = max_i64(since_ns, other->agent.to_ns);
    }
    return since_start(inject, since_ns);
}

static void report_begin(struct inject *inject, struct entry *e)
{
    e->reported = INJECT_RUNNING;
    e->result.from_ns = since_start(inject, e->agent.from_ns);
    recovery_watch(inject->recovery, &e->watch, quiet_since_ns(inject, e), e->result.from_ns);
    if (inject->text)
        report_injection_begin(stdout, &e->result);
    log_flush_stdout();
}

static void take_outcome(struct entry *e)
{
    const struct inject_agent *a = &e->agent;
    e->result.state = a->state;
    e->result.exit_code = a->exit_code;
    e->result.signal = a->signal;
    e->result.outcome = a->outcome;
    if (a->failure[0] != '\0')
        e->result.error = secret_mask_output(a->failure, a->action->text);
}

static void report_end(struct inject *inject, struct entry *e)
{
    e->reported = INJECT_ENDED;
    e->result.to_ns = since_start(inject, e->agent.to_ns);
    take_outcome(e);
    e->watch.after_ns = e->result.to_ns;
    if (inject->text)
        report_injection_end(stdout, &e->result);
    log_flush_stdout();
    if (e->result.error != NULL)
        log_text(LOG_WARNING, "injection %u (%s: %s) failed: %s", e->result.number, e->result.kind,
                 e->result.text, e->result.error);
}

static void report_progress(struct inject *inject)
{
    for (unsigned i = 0; i < inject->count; i++) {
        struct entry *e = &inject->entries[i];
        enum inject_progress progress = (enum inject_progress)atomic_load(&e->agent.progress);
        if (progress >= INJECT_RUNNING && e->reported < INJECT_RUNNING)
            report_begin(inject, e);
        if (progress == INJECT_ENDED && e->reported < INJECT_ENDED)
            report_end(inject, e);
    }
}

void inject_step(struct inject *inject, int64_t now_ns)
{
    if (inject == NULL)
        return;
    while (inject_next_ns(inject) <= now_ns)
        start_entry(&inject->entries[inject->next++]);
    report_progress(inject);
}

/* The end. */

static bool is_session_in_progress(const struct entry *e)
{
    return e->started && e->agent.action->kind == INJECT_SESSION &&
           atomic_load(&e->agent.progress) != INJECT_ENDED;
}

void inject_stop(struct inject *inject)
{
    if (inject == NULL)
        return;
    inject->next = inject->count;
    inject->stage.stop_ns = clock_now_ns();
    atomic_store(&inject->stage.stopping, true);
    eventfd_write(inject->stage.stop_fd, 1);
    for (unsigned i = 0; i < inject->count; i++) {
        struct entry *e = &inject->entries[i];
        if (is_session_in_progress(e))
            e->cancelled =
                thread_start_quiet(&e->canceller, inject_cancel_main, &e->agent) == 0;
    }
}

static bool is_done(const struct entry *e)
{
    return (!e->started || atomic_load(&e->agent.done)) &&
           (!e->cancelled || atomic_load(&e->agent.canceller_done));
}

static bool all_done(const struct inject *inject)
{
    for (unsigned i = 0; i < inject->count; i++)
        if (!is_done(&inject->entries[i]))
            return false;
    return true;
}

/* Joins the threads; after that, the output of the injection can be read. */
static void join(struct entry *e)
{
    if (e->cancelled)
        pthread_join(e->canceller, NULL);
    if (!e->started)
        return;
    pthread_join(e->thread, NULL);
    char *text = inject_tail_text(&e->agent.tail);
    e->result.output = secret_mask_output(text, e->agent.action->text);
    e->result.output_bytes = e->agent.tail.bytes;
    free(text);
}

static void leave(const struct entry *e)
{
    pthread_detach(e->thread);
    if (e->cancelled)
        pthread_detach(e->canceller);
    log_text(LOG_WARNING,
             "injection %u (%s: %s) did not end within %g s after the run and is left alone",
             e->result.number, e->result.kind, e->result.text, ns_to_seconds(INJECT_PATIENCE_NS));
}

bool inject_finish(struct inject *inject)
{
    bool finished = true;
    if (inject == NULL)
        return true;
    const int64_t deadline_ns = inject->stage.stop_ns + INJECT_PATIENCE_NS;
    while (!all_done(inject) && clock_now_ns() < deadline_ns) {
        report_progress(inject);
        interrupt_wait(deadline_ns);
    }
    report_progress(inject);
    for (unsigned i = 0; i < inject->count; i++) {
        struct entry *e = &inject->entries[i];
        bool done = is_done(e);
        if (done)
            join(e);
        else
            leave(e);
        finished = finished && done;
    }
    return finished;
}

/* The results. */

/* Returns when a span begins, at most `end_ns`, in nanoseconds since the start of the run. */
static int64_t border_ns(const struct inject *inject, unsigned span, int64_t end_ns)
{
    const struct spans *spans = inject->stage.spans;
    if (span < spans_count(spans))
        end_ns = min_i64(end_ns, spans_from_ns(spans, span));
    return since_start(inject, end_ns);
}

static void gather(const struct inject *inject, struct injection_span *span, unsigned first,
                   unsigned end, int64_t end_ns)
{
    span->from_ns = border_ns(inject, first, end_ns);
    span->to_ns = border_ns(inject, end, end_ns);
    spans_add_to(inject->stage.spans, first, end, &span->response);
}

static void gather_spans(const struct inject *inject, struct entry *e, int64_t end_ns)
{
    const unsigned count = spans_count(inject->stage.spans);
    const unsigned first = e->agent.first_span;
    const unsigned end = e->reported == INJECT_ENDED ? e->agent.end_span : count;
    unsigned before = 0, after = count;
    for (unsigned i = 0; i < inject->count; i++) {
        const struct entry *other = &inject->entries[i];
        const struct inject_agent *a = &other->agent;
        if (other->reported == INJECT_ENDED && a->end_span <= first)
            before = a->end_span > before ? a->end_span : before;
        if (other != e && other->reported != INJECT_WAITING && a->first_span >= end)
            after = min_u32(after, a->first_span);
    }
    gather(inject, &e->result.before, before, first, end_ns);
    gather(inject, &e->result.during, first, end, end_ns);
    gather(inject, &e->result.after, end, after, end_ns);
}

static void gather_connects(const struct inject *inject, struct entry *e)
{
    const struct spans *spans = inject->stage.connect_spans;
    if (spans == NULL)
        return;
    const unsigned count = spans_count(spans), first = e->agent.first_connect_span;
    const unsigned end = e->reported == INJECT_ENDED ? e->agent.end_connect_span : count;
    spans_add_to(spans, 0, first, &e->result.before.connect);
    spans_add_to(spans, first, end, &e->result.during.connect);
    spans_add_to(spans, end, count, &e->result.after.connect);
}

static void complete_result(const struct inject *inject, struct entry *e, int64_t end_ns)
{
    e->result.percentile = recovery_percentile(inject->recovery);
    e->result.window_ns = recovery_window_ns(inject->recovery);
    if (e->reported == INJECT_WAITING)
        return;
    if (e->reported == INJECT_RUNNING) {
        e->result.state = INJECTION_LEFT;
        e->result.to_ns = since_start(inject, end_ns);
    }
    e->result.level_ns = e->watch.level_ns;
    if (e->watch.back_ns >= 0)
        e->result.recovery_ns = e->watch.back_ns - e->result.to_ns;
    gather_spans(inject, e, end_ns);
    gather_connects(inject, e);
}

struct injection *inject_results(struct inject *inject, int64_t end_ns, unsigned *count)
{
    *count = inject != NULL ? inject->count : 0;
    if (inject == NULL)
        return NULL;
    if (inject->stage.connect_spans != NULL)
        spans_settle(inject->stage.connect_spans);
    inject->results = xcalloc(inject->count, sizeof(*inject->results));
    for (unsigned i = 0; i < inject->count; i++) {
        complete_result(inject, &inject->entries[i], end_ns);
        inject->results[i] = inject->entries[i].result;
    }
    return inject->results;
}
