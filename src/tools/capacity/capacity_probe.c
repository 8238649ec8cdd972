/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes one probe by running the program. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "report/text/interval_column.h"
#include "tools/capacity/capacity_internal.h"

/* Interval at which signals are checked. */
#define SLICE_NS (100 * NS_PER_MS)
/* Time for a probe to end after it got a signal; longer than the time that a run gives to its
 * injections. */
#define END_GRACE_NS (10 * NS_PER_SEC)
/*
 * Requests that are queued at the end of a probe are worked off for at most this long (--drain):
 * their times are exact then, and the server is idle afterwards.
 */
#define DRAIN_S 30
/* Number of parts of a probe, divided by checkpoints: capacity_outcome.c compares them with the
 * whole. */
#define PARTS 4
/* Lengths of phases, as parts of the length of a probe. */
#define BRACKET_PART 0.25
/* Smallest expected number of requests in a probe of the bracket: at low rates such probes are
 * longer. */
#define BRACKET_REQUESTS 20
#define WARMUP_PART 0.1
#define APPROACH_PART 0.25
#define SETTLE_PART 0.5
/* Rates from which the edge is approached, as multiples of the rate of the edge. */
#define FROM_BELOW 0.5
#define FROM_ABOVE 1.25
/*
 * A probe near the edge is aborted only if its figures exceed the limits by this factor. Up to this
 * factor the size of the excess is needed.
 */
#define SLACK (1 / (1 - CAPACITY_MARGIN_MAX))

static bool is_pair(const struct capacity_probe *p)
{
    return p->phase == CAPACITY_BELOW || p->phase == CAPACITY_ABOVE;
}

/*
 * The run changes from the first rate to the second: so the backlog, the connections and the caches
 * are as the first rate left them.
 */
static void add_approach(struct child *child, const struct capacity_probe *p, double seconds)
{
    double from = p->rate * (p->phase == CAPACITY_BELOW ? FROM_BELOW : FROM_ABOVE);
    double until = APPROACH_PART * seconds;
    child_arg(child, "--rate=0:%.6f,%.6f:%.6f,%.6f:%.6f", from, until, from, until, p->rate);
}

static void add_checkpoints(struct child *child, double warmup_s, double seconds)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = checked_alloc(open_memstream(&text, &bytes));
    for (int i = 1; i < PARTS; i++)
        fprintf(out, "%s%.6f", i > 1 ? "," : "", warmup_s + seconds * i / PARTS);
    fclose(out);
    child_arg(child, "--report-checkpoints=%s", text);
    free(text);
}

static double measured_s(const struct capacity_probe *p, double probe_s)
{
    if (p->phase == CAPACITY_BRACKET)
        probe_s = fmax(BRACKET_PART * probe_s, BRACKET_REQUESTS / p->rate);
    return p->length * probe_s;
}

static void add_times(struct child *child, const struct capacity_probe *p, double probe_s)
{
    double seconds = measured_s(p, probe_s);
    double warmup_s = seconds * (is_pair(p) ? APPROACH_PART + SETTLE_PART : WARMUP_PART);
    if (is_pair(p))
        add_approach(child, p, seconds);
    else
        child_arg(child, "--rate=%.6f", p->rate);
    child_arg(child, "--warmup-time=%.6f", warmup_s);
    child_arg(child, "--time=%.6f", seconds);
    child_arg(child, "--drain=%d", DRAIN_S);
    if (p->phase != CAPACITY_BRACKET)
        add_checkpoints(child, warmup_s, seconds);
}

static struct child *make_child(const struct capacity *c, const struct capacity_probe *p)
{
    struct child *child = subject_child(&c->subject, "run");
    if (child == NULL)
        return NULL;
    char *objectives = slo_text(&c->slo, p->phase == CAPACITY_BRACKET ? 1 : SLACK);
    if (c->log.rate > 0)
        child_arg(child, "--speed=%.9g", p->rate / c->log.rate);
    else
        add_times(child, p, c->probe_s);
    child_arg(child, "--rand-seed=%lld", (long long)p->seed);
    child_arg(child, "--slo=%s", objectives);
    child_arg(child, "--slo-abort=0");
    child_arg(child, "--archive-kind=probe");
    free(objectives);
    return child;
}

static void tell_failure(const struct child *child, const struct capacity_probe *p,
                         const json_t *report)
{
    char *text = child_text(child, "stderr");
    const char *end = json_string_value(interval_value(report, "summary/end"));
    fputs(log_printable(text, "\n\t"), stderr);
    if (end != NULL && strcmp(end, "error") != 0)
        log_text(LOG_FATAL, "capacity: the probe at %.2f/s ended early (end: %s)",
                 p->rate, end);
    else
        log_text(LOG_FATAL, "capacity: the probe at %.2f/s failed: %s", p->rate,
                 child_end_text(child));
    free(text);
}

static void pass_warnings(struct capacity *c, const struct child *child,
                          const struct capacity_probe *p)
{
    char label[64];
    snprintf(label, sizeof(label), "probe at %.2f/s", p->rate);
    subject_pass_warnings(&c->subject, child, label);
}

static enum capacity_status wait_and_read(struct capacity *c, struct child *child,
                                          struct capacity_run *run, json_t **report, char **text)
{
    while (!child_wait(child, clock_now_ns() + SLICE_NS))
        if (interrupt_signal() != 0) {
            child_signal(child, SIGTERM);
            child_wait(child, clock_now_ns() + END_GRACE_NS);
            return CAPACITY_INTERRUPTED;
        }
    *report = child_report(child);
    *text = child_text(child, CHILD_REPORT);
    if (*report != NULL && capacity_read(run, &c->slo, *report) == 0) {
        pass_warnings(c, child, &run->probe);
        return CAPACITY_DONE;
    }
    tell_failure(child, &run->probe, *report);
    json_decref(*report);
    free(*text);
    return CAPACITY_FAILED;
}

enum capacity_status capacity_execute(struct capacity *c, struct capacity_run *run, json_t **report,
                                      char **text)
{
    enum capacity_status status = CAPACITY_FAILED;
    struct child *child = make_child(c, &run->probe);
    if (child != NULL && child_start(child) == 0)
        status = wait_and_read(c, child, run, report, text);
    child_destroy(child);
    return status;
}
