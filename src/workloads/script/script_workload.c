/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workloads/script/script_workload.h"

#include "report/workload_report.h"
#include "sql/replicas/own_writes.h"
#include "sql/sql_recycle.h"
#include "sql/sql_workload.h"
#include "workloads/script/script_options.h"
#include "workloads/script/script_report.h"

static int prepare_own_writes(struct script_workload *w, const struct workload_worker *worker,
                              struct script *script)
{
    return own_writes_enter(w->sql, worker->stats, worker->id) ? script_check_own_writes(script) : 0;
}

/* Creates the state of a worker and runs the script's body and thread_init(). */
static void *thread_start(void *self, const struct workload_worker *worker)
{
    struct script_workload *w = self;
    sql_thread_enter(w->sql, worker->stats, worker->id);
    sql_thread_be_patient(worker->give_up_ns, worker->arg);
    struct script *script = script_create(w->source, (int)worker->id, worker->rand);
    if (script == NULL)
        return NULL;
    script_export_options(script);
    bool loaded = !sql_recycle_thread(w->source->options) || script_recycle(script) == 0;
    loaded = loaded && prepare_own_writes(w, worker, script) == 0 && script_load(script) == 0;
    if (loaded && script_has_function(script, "check_reconnect"))
        sql_recycle_leave_to_script();
    script_measure(script);
    if (loaded && worker->first && sql_check_tables(w->sql))
        loaded = script_check_tables(script, w->sql, &w->found) == 0;
    const bool ready = loaded && script_call(script, "thread_init") == 0 &&
                       script_prepare_events(script) == 0;
    sql_pool_give_all();
    if (ready)
        return script;
    script_destroy(script);
    return NULL;
}

/* If the run of a script has failed in an event, other workers may wait for its connections. */
static int thread_run(void *thread)
{
    const int rc = script_run_events(thread);
    sql_pool_give_all();
    return rc;
}

static int thread_run_deferred(void *thread)
{
    const int rc = script_run_deferred(thread);
    sql_pool_give_all();
    return rc;
}

static int thread_end(void *thread)
{
    int rc = script_call(thread, "thread_done");
    own_writes_leave();
    script_destroy(thread);
    return rc;
}

static void set_presentation(void *self, struct presentation *presentation)
{
    const struct script_workload *w = self;
    presentation->statements = sql_used(w->sql) ? "SQL statistics" : NULL;
    presentation->targets = "Hosts";
}

/* Explains the kind of statement that most often changed no rows. */
static char *explain_no_ops(void *self, const struct effects *effects)
{
    const struct script_workload *w = self;
    enum write_kind kind = 0;
    for (unsigned k = 1; k < WRITE_KINDS; k++)
        if (effects_no_ops(effects, k) > effects_no_ops(effects, kind))
            kind = k;
    const uint64_t *count = effects->count[kind];
    const char *statement = sql_no_op(w->sql, kind);
    if (statement == NULL)
        return NULL;
    return script_explain_no_op(w->script, statement, kind,
                                count[EFFECT_UNCHANGED] > count[EFFECT_UNMATCHED], &w->found);
}

static void explain_failure(void *self)
{
    const struct script_workload *w = self;
    sql_log_connections(w->sql);
}

static bool is_void(void *self)
{
    const struct script_workload *w = self;
    return sql_lacks_table(w->sql);
}

static bool report_intermediate(void *self, const struct interval *interval)
{
    const struct script_workload *w = self;
    return script_report_intermediate(w->script, interval, w->settings);
}

static bool report_cumulative(void *self, const struct summary *summary)
{
    const struct script_workload *w = self;
    return script_report_cumulative(w->script, summary, w->settings);
}

static bool report_failed(void *self)
{
    const struct script_workload *w = self;
    return script_report_failed(w->script);
}

static bool wants_end(void *self)
{
    const struct script_workload *w = self;
    return script_wants_end(w->script);
}

static bool make_remarks(void *self, const struct summary *summary, struct remarks *remarks)
{
    const struct script_workload *w = self;
    return script_remarks(w->script, summary, w->settings, remarks);
}

struct workload script_workload(struct script_workload *script)
{
    static const struct workload_ops ops = {.thread_start = thread_start,
                                            .thread_run = thread_run,
                                            .thread_run_deferred = thread_run_deferred,
                                            .thread_end = thread_end,
                                            .event_ended = sql_pool_give_all,
                                            SQL_WORKLOAD_SESSIONS};
    static const struct workload_report report = {.set_presentation = set_presentation,
                                                  .intermediate = report_intermediate,
                                                  .cumulative = report_cumulative,
                                                  .hook_failed = report_failed,
                                                  .wants_end = wants_end,
                                                  .remarks = make_remarks,
                                                  SQL_WORKLOAD_SERVER,
                                                  .explain_no_ops = explain_no_ops,
                                                  .explain_failure = explain_failure,
                                                  .is_void = is_void};
    return (struct workload){.ops = &ops,
                             .report = &report,
                             .self = script,
                             .server = script->sql,
                             .has_deferred = script_has_hook(script->script, "deferred"),
                             .has_pool = sql_has_pool(script->sql)};
}
