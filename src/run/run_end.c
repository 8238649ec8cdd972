/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run_end.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "run/judgement.h"
#include "run/run_account.h"
#include "run/run_outages.h"

/* The last interval, where there is a line to come. Workers have left, but ran in it. */
static void end_last_interval(struct run *run, int64_t now_ns, struct gauges gauges)
{
    gauges.threads_running = run->pool.count;
    if (run->settings->report_interval_ns > 0 &&
        reporter_interval_pending(&run->reporter, now_ns, NS_PER_MS)) {
        run->reporter.interval.last = true;
        reporter_interval(&run->reporter, now_ns, gauges);
    }
}

/* When what is measured ended: the last event, or the end of the run where that came later. A run
 * that ended because nothing was left to do ended with its last event. CLOCK_MONOTONIC. */
static int64_t measured_until_ns(const struct run *run, const struct requests *requests)
{
    int64_t last_ns = worker_pool_last_end_ns(&run->pool);
    bool by_events = run->end == END_EVENTS || run->end == END_SCRIPT;
    bool all_done = requests->queued + requests->in_service == 0;
    return by_events && all_done && last_ns > 0 ? last_ns : max_i64(run->ended_ns, last_ns);
}

static struct evidence gather_evidence(const struct run *run, int64_t now_ns)
{
    int64_t generator_ns = generator_cpu_ns(run->generator);
    int64_t standby_ns = queue_standby_ns(run->queue);
    struct cpu_shares shares = cpu_usage_end(&run->cpu, generator_ns + standby_ns);
    const struct goodness *goodness = generator_goodness(run->generator);
    return (struct evidence){.goodness = goodness_distance(goodness),
                             .gaps = goodness->count,
                             .arrivals_end_ns = run->ended_ns - run->start_ns,
                             .generator_cpu =
                                 (double)generator_ns / (double)(now_ns - run->start_ns),
                             .standby_cpu = (double)standby_ns / (double)(now_ns - run->start_ns),
                             .client_cpu = shares.client,
                             .steal = shares.steal};
}

static bool any_doubtful(const struct effects *e)
{
    bool doubtful = false;
    for (unsigned kind = 0; kind < WRITE_KINDS; kind++)
        doubtful = doubtful || effects_doubtful(e, kind);
    return doubtful;
}

/* Asks the database, so only where it has answered until now. */
static char *explain_no_ops(struct run *run)
{
    const struct workload *workload = &run->setup->workload;
    const struct effects *e = &run->reporter.total.effects;
    bool well = !run->abandoned && run->end != END_ERROR && run->end != END_SIGNAL;
    if (!well || workload->explanations == NULL || !any_doubtful(e))
        return NULL;
    return workload->explanations->no_ops(workload->self, e);
}

/* Takes `ns`, which came after the measured time, off the ages of those that were unfinished. */
static void cut_ages(struct requests *requests, int64_t ns)
{
    requests->age_sum_ns -= (double)(requests->queued + requests->in_service) * (double)ns;
}

static struct ending ending_of(const struct run *run)
{
    return (struct ending){.why = run->end,
                           .failed = atomic_load(&run->pool.failed),
                           .abandoned = run->abandoned,
                           .signal = interrupt_signal()};
}

/* Makes the result out of all that was recorded and seen. */
static void freeze(struct run *run, struct result *result)
{
    const int64_t now_ns = clock_now_ns();
    const struct gauges gauges = run_gauges(run);
    struct requests requests = run_account(run, now_ns);
    const int64_t until_ns = measured_until_ns(run, &requests);
    cut_ages(&requests, now_ns - until_ns);
    requests.arrivals_ns = max_i64(0, run->ended_ns - run->pool.measure_ns);
    end_last_interval(run, until_ns - run->start_ns, gauges);
    *result = (struct result){.settings = run->settings, .no_op_cause = explain_no_ops(run)};
    result->ending = ending_of(run);
    result->outages = run_outages_finish(run);
    if (run->queue != NULL)
        result->evidence = gather_evidence(run, now_ns);
    /* Only now: requests do not get older by waiting for them. */
    run->inject_left = !inject_finish(run->inject);
    result->injections = inject_results(run->inject, run->ended_ns, &result->injection_count);
    reporter_freeze(&run->reporter, &requests, max_i64(0, until_ns - run->pool.measure_ns), result);
}

static int write_request_log(const struct run *run)
{
    const char *path = run->settings->request_log_path;
    if (path == NULL)
        return 0;
    if (run->abandoned) {
        log_text(LOG_FATAL, "--request-log=%s is not written: stuck workers may still add to it",
                 path);
        return -1;
    }
    return request_log_write(run->pool.log, run->start_ns, path);
}

int run_report_end(struct run *run)
{
    struct result result;
    freeze(run, &result);
    const struct judgement judgement = judgement_of(&result);
    const int code = present_result(&run->presenter, &result, &judgement);
    result_fini(&result);
    bool written = present_files(&run->presenter) == 0;
    written = write_request_log(run) == 0 && written;
    return !written && code == EXIT_WELL ? EXIT_FAILED : code;
}
