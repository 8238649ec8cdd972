/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the points one after the other, each as a child process, and shows the progress. */
#include "tools/sweep/sweep_internal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "options/exit_codes.h"
#include "options/quantity.h"
#include "options/settings_rows.h"
#include "report/page/html.h"
#include "report/text/interval_column.h"

/* Interval at which signals are checked. */
#define SLICE_NS (100 * NS_PER_MS)

#define CLEAR_LINE "\r\033[K"

struct progress {
    struct sweep *sweep;
    double time_s, warmup_s; /* lengths of a run and its warm-up, unless they vary */
    bool terminal;           /* standard error is a terminal, whose last line is redrawn */
    size_t number;           /* number of points that are finished or running */
    int64_t start_ns;        /* start of the current point */
    /* Sum over `runs` runs: time that they took in addition to their configured length. */
    double beyond_s;
    size_t runs;
    int64_t drawn_ns;
};

/* Estimate of the remaining time. */

static double varied_seconds(const struct sweep *sweep, const struct sweep_point *point,
                             const char *name, double otherwise)
{
    for (size_t k = 0; k < sweep->varied; k++)
        if (option_name_is(sweep->vary[k].name, name))
            quantity_parse_time(sweep_value(sweep, point->combination, k), &otherwise);
    return otherwise;
}

static double own_seconds(const struct progress *p, const struct sweep_point *point)
{
    return varied_seconds(p->sweep, point, "time", p->time_s) +
           varied_seconds(p->sweep, point, "warmup-time", p->warmup_s);
}

/* Remaining time, including the rest of the current point. */
static double seconds_left(const struct progress *p)
{
    double left = 0;
    for (size_t i = 0; i < p->sweep->count; i++) {
        const struct sweep_point *point = &p->sweep->point[i];
        if (point->state == POINT_OPEN)
            left += own_seconds(p, point) + (p->runs > 0 ? p->beyond_s / (double)p->runs : 0);
    }
    if (p->start_ns != 0)
        left -= ns_to_seconds(clock_now_ns() - p->start_ns);
    return fmax(0, left);
}

/* Writes for example "1:05:09" or "5:09". */
static const char *duration(double seconds, char *buf, size_t bytes)
{
    long whole = lround(seconds);
    if (whole >= 3600)
        snprintf(buf, bytes, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(buf, bytes, "%ld:%02ld", whole / 60, whole % 60);
    return buf;
}

/* Functions that print the progress. */

static void print_left(const struct progress *p)
{
    char text[32];
    fprintf(stderr, "about %s left", duration(seconds_left(p), text, sizeof(text)));
}

static void redraw(struct progress *p, const struct sweep_point *point)
{
    char text[32];
    int64_t now_ns = clock_now_ns();
    if (!p->terminal || p->start_ns == 0 || now_ns - p->drawn_ns < NS_PER_SEC)
        return;
    p->drawn_ns = now_ns;
    fprintf(stderr, CLEAR_LINE "[%zu/%zu] %s: running for %s, ", p->number, p->sweep->count,
            point->label, duration(ns_to_seconds(now_ns - p->start_ns), text, sizeof(text)));
    print_left(p);
    fflush(stderr);
}

static void print_figures(const struct sweep_point *point)
{
    const char *percentile = sweep_last_percentile(point->summary);
    const json_t *percentiles = interval_value(point->summary, "response_ms/percentiles");
    const json_t *entry = percentile != NULL ? json_object_get(percentiles, percentile) : NULL;
    fprintf(stderr, "%.2f/s",
            json_number_value(json_object_get(point->summary, "completed_per_s")));
    if (entry != NULL)
        fprintf(stderr, ", %s %s%.2f ms", percentile,
                json_is_true(json_object_get(entry, "censored")) ? ">" : "",
                json_number_value(json_object_get(entry, "value")));
}

static void print_point(const struct progress *p, const struct sweep_point *point)
{
    fprintf(stderr, "%s[%zu/%zu] %s: ", p->terminal ? CLEAR_LINE : "", p->number, p->sweep->count,
            point->label);
    char *note = sweep_note(point);
    if (point->state == POINT_MEASURED)
        print_figures(point);
    fprintf(stderr, "%s%s; ", point->state == POINT_MEASURED && note[0] != '\0' ? ", " : "", note);
    print_left(p);
    fputc('\n', stderr);
    free(note);
}

/* Functions that run a point. */

static struct child *make_child(const struct sweep *sweep, const struct sweep_point *point,
                                const char *command)
{
    struct child *child = subject_child(&sweep->subject, command);
    for (size_t k = 0; child != NULL && k < sweep->varied; k++) {
        const char *name = sweep->vary[k].name, *value = sweep_value(sweep, point->combination, k);
        if (sweep->vary[k].server)
            child_arg(child, "--server-setting=%s=%s", name + strlen(SERVER_PREFIX), value);
        else
            child_arg(child, "--%s=%s", name, value);
    }
    return child;
}

static void wait_for(struct progress *p, const struct sweep_point *point, struct child *child)
{
    bool told = false;
    while (!child_wait(child, clock_now_ns() + SLICE_NS)) {
        if (interrupt_signal() != 0 && !told) {
            child_signal(child, interrupt_signal());
            told = true;
        }
        redraw(p, point);
    }
}

/* Returns NULL after a logged message if the child could not be started. */
static struct child *execute(struct progress *p, const struct sweep_point *point,
                             const char *command)
{
    struct child *child = make_child(p->sweep, point, command);
    if (child == NULL)
        return NULL;
    if (child_start(child) != 0) {
        child_destroy(child);
        return NULL;
    }
    wait_for(p, point, child);
    if (p->terminal)
        fputs(CLEAR_LINE, stderr);
    subject_pass_warnings(&p->sweep->subject, child, point->label);
    return child;
}

/* A point that was measured before stays measured. */
static void note_failure(struct progress *p, struct sweep_point *point, const char *command,
                         const struct child *child)
{
    char *failure = subject_failure(command, child);
    p->sweep->failed = true;
    if (point->state == POINT_OPEN) {
        point->state = POINT_FAILED;
        point->failure = failure;
    } else {
        log_text(LOG_ALERT, "%s: %s", point->label, failure);
        free(failure);
    }
}

/* Executes prepare or cleanup and returns its exit code, or −1 if the sweep cannot continue. */
static int execute_step(struct progress *p, struct sweep_point *point, const char *command)
{
    struct child *child = execute(p, point, command);
    if (child == NULL)
        return -1;
    int code = child_exit_code(child);
    if (code != 0 && interrupt_signal() == 0)
        note_failure(p, point, command, child);
    child_destroy(child);
    return code;
}

/*
 * If a prepare fails because something exists already, the sweep must not remove that. Therefore
 * the note that the prepare has begun is undone if the prepare ends with an error. If a signal has
 * ended it, the note stays.
 */
static int prepare(struct progress *p, struct sweep_point *point)
{
    struct sweep *sweep = p->sweep;
    struct sweep_point *before = sweep->prepared;
    if (sweep->cleanup && sweep_note_prepared(sweep, point) != 0)
        return -1;
    int code = execute_step(p, point, "prepare");
    bool said_so = code != 0 && code < EXIT_BY_SIGNAL;
    if (sweep->cleanup && said_so && sweep_note_prepared(sweep, before) != 0)
        return -1;
    return code < 0 ? -1 : 0;
}

static int clean_up(struct progress *p, struct sweep_point *point)
{
    int code = execute_step(p, point, "cleanup");
    return code == 0 ? sweep_note_prepared(p->sweep, NULL) : code < 0 ? -1 : 0;
}

static int measure(struct progress *p, struct sweep_point *point)
{
    struct child *child = execute(p, point, "run");
    if (child == NULL)
        return -1;
    char *report = child_text(child, CHILD_REPORT);
    int status = 0;
    if (report[0] == '\0')
        free(report);
    else
        status = sweep_keep_report(point, report, child_exit_code(child));
    if (status == 0 && point->state == POINT_OPEN && interrupt_signal() == 0)
        note_failure(p, point, "run", child);
    child_destroy(child);
    return status;
}

/*
 * Cleans up after a prepare whose cleanup was not executed or has failed. An error of this cleanup
 * is ignored because there may be nothing to remove; the next prepare fails if something remains.
 */
static int remove_leftovers(struct progress *p)
{
    if (p->sweep->prepared == NULL)
        return 0;
    struct child *child = execute(p, p->sweep->prepared, "cleanup");
    if (child == NULL)
        return -1;
    int status = child_exit_code(child) == 0 ? sweep_note_prepared(p->sweep, NULL) : 0;
    child_destroy(child);
    return status;
}

static int run_steps(struct progress *p, struct sweep_point *point)
{
    const struct sweep *sweep = p->sweep;
    int status = remove_leftovers(p);
    if (status == 0 && sweep->prepare && interrupt_signal() == 0)
        status = prepare(p, point);
    if (status == 0 && point->state == POINT_OPEN && interrupt_signal() == 0)
        status = measure(p, point);
    bool there = !sweep->prepare || sweep->prepared == point;
    if (status == 0 && sweep->cleanup && there && interrupt_signal() == 0)
        status = clean_up(p, point);
    return status;
}

/* A run that ended early because its queue was full does not show how long other runs will take. */
static void note_length(struct progress *p, const struct sweep_point *point)
{
    const char *end = json_string_value(json_object_get(point->summary, "end"));
    if (end == NULL || strcmp(end, "queue_full") == 0)
        return;
    p->runs++;
    p->beyond_s += ns_to_seconds(clock_now_ns() - p->start_ns) - own_seconds(p, point);
}

/* A point whose settings cannot be set fails, unless the sweep is being stopped. */
static bool set_server(struct progress *p, struct sweep_point *point)
{
    char *failure = NULL;
    if (sweep_server_set(p->sweep, point, &failure) == 0)
        return true;
    if (interrupt_signal() == 0) {
        p->sweep->failed = true;
        point->state = POINT_FAILED;
        point->failure = failure;
    } else {
        free(failure);
    }
    return false;
}

static int run_point(struct progress *p, struct sweep_point *point)
{
    p->start_ns = clock_now_ns();
    int status = set_server(p, point) ? run_steps(p, point) : 0;
    note_length(p, point);
    p->start_ns = 0;
    if (point->state != POINT_OPEN)
        print_point(p, point);
    return status;
}

/* Logged before hours of runs, not after them. */
static void warn_without_intervals(const struct sweep *sweep, double interval_s)
{
    bool missing = false;
    for (size_t i = 0; i < sweep->count && !missing; i++)
        missing = sweep->point[i].state == POINT_OPEN &&
                  varied_seconds(sweep, &sweep->point[i], "report-interval", interval_s) == 0;
    if (missing && html_available())
        log_text(LOG_WARNING,
                 "sweep: page.html has nothing to draw over time without --report-interval "
                 "after '--'");
}

/* Reads the length of runs and their warm-up, and whether they have intervals, from the options. */
static int read_lengths(struct progress *p)
{
    struct options *set = options_create();
    int status = settings_add_options(set);
    if (status == 0)
        status = cmdline_apply(&p->sweep->subject.cmdline, set, false);
    if (status == 0) {
        p->time_s = options_get(set, "time")->number;
        p->warmup_s = options_get(set, "warmup-time")->number;
        warn_without_intervals(p->sweep, options_get(set, "report-interval")->number);
    }
    options_destroy(set);
    return status;
}

static int run_open_points(struct progress *p)
{
    struct sweep *sweep = p->sweep;
    sweep->begun = true;
    int status = remove_leftovers(p);
    for (size_t i = 0; i < sweep->count; i++)
        p->number += sweep->point[i].state == POINT_MEASURED;
    for (size_t i = 0; i < sweep->count && status == 0 && interrupt_signal() == 0; i++) {
        struct sweep_point *point = &sweep->point[sweep->order[i]];
        if (point->state != POINT_OPEN)
            continue;
        p->number++;
        status = run_point(p, point);
    }
    return status;
}

int sweep_run(struct sweep *sweep)
{
    struct progress p = {.sweep = sweep, .terminal = isatty(STDERR_FILENO) == 1};
    if (read_lengths(&p) != 0 || interrupt_init() != 0)
        return -1;
    int status = sweep_server_try(sweep);
    if (status == 0)
        status = run_open_points(&p);
    if (p.terminal)
        fputs(CLEAR_LINE, stderr);
    if (server_settings_restore(&sweep->server) != 0)
        status = -1;
    interrupt_fini();
    return status;
}
