/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live/live_view.h"

#include <math.h>

#include "base/util.h"
#include "options/percentiles.h"

/* Width of the label in front of the bars. */
#define LABEL_COLUMNS 28

static void print_clock(const struct live_view *view, FILE *out, unsigned columns);
static void print_rates(const struct live_view *view, FILE *out, unsigned columns);
static void print_times(const struct live_view *view, FILE *out, unsigned columns);
static void print_gauges(const struct live_view *view, FILE *out, unsigned columns);
static void print_waits(const struct live_view *view, FILE *out, unsigned columns);
static void print_completed_bars(const struct live_view *view, FILE *out, unsigned columns);
static void print_time_bars(const struct live_view *view, FILE *out, unsigned columns);
static void print_queue_bars(const struct live_view *view, FILE *out, unsigned columns);

static void (*const lines[LIVE_LINES_MOST])(const struct live_view *view, FILE *out,
                                            unsigned columns) = {
    print_clock, print_rates,          print_times,     print_gauges,
    print_waits, print_completed_bars, print_time_bars, print_queue_bars,
};

/* Position of the line of waits, which is left out if waits are not sampled. */
#define WAITS_LINE 4
/* Number of waits in this line. */
#define WAITS_SHOWN 3

void live_view_init(struct live_view *view, const struct settings *settings, bool utf8)
{
    *view = (struct live_view){.settings = settings, .utf8 = utf8};
    snapshot_init(&view->second);
}

void live_view_fini(struct live_view *view)
{
    snapshot_fini(&view->second);
}

void live_view_collect(struct live_view *view, const struct snapshot *recorded, int64_t now_ns)
{
    if (view->start_ns == 0)
        view->start_ns = view->since_ns = now_ns;
    else
        snapshot_add(&view->second, recorded);
}

/* Figures of the current second. */

static double per_second(const struct live_view *view, uint64_t count)
{
    return (double)count / ns_to_seconds(view->until_ns - view->since_ns);
}

/* Returns the percentile to be drawn: the highest one that the settings ask for, or 95 % if they
 * ask for none. */
static int64_t drawn_percentile(const struct settings *settings)
{
    int64_t highest = settings->percentiles > 0 ? 0 : 95 * PERCENT;
    for (unsigned i = 0; i < settings->percentiles; i++)
        highest = max_i64(highest, settings->percentile[i]);
    return highest;
}

/* Returns NAN if no request has ended in this second. */
static double time_ms(const struct live_view *view, int64_t percentile)
{
    const struct bounded time =
        distribution_percentile(&view->second.metric[METRIC_RESPONSE], percentile);
    return time.unknown ? NAN : ns_to_ms(time.ns);
}

bool live_view_end_second(struct live_view *view, struct gauges gauges, int64_t now_ns)
{
    if (view->start_ns == 0 || now_ns - view->since_ns < NS_PER_SEC)
        return false;
    view->gauges = gauges;
    view->until_ns = now_ns;
    if (gauges.waits != NULL) {
        wait_span_since(&view->waited, &view->waits, gauges.waits);
        view->waits = *gauges.waits;
    }
    unsigned at = view->seconds++ % LIVE_HISTORY_S;
    view->history[LIVE_COMPLETED][at] = per_second(view, view->second.counter[COUNTER_EVENT]);
    view->history[LIVE_TIME][at] = time_ms(view, drawn_percentile(view->settings));
    view->history[LIVE_QUEUE][at] = (double)gauges.queue_length;
    return true;
}

void live_view_begin_second(struct live_view *view)
{
    snapshot_reset(&view->second);
    view->since_ns = view->until_ns;
}

unsigned live_view_figures(const struct live_view *view)
{
    return view->settings->wait_events > 0 ? WAITS_LINE + 1 : WAITS_LINE;
}

/* A closed loop has no queue: the last line, with bars of the queue, is left out. */
unsigned live_view_lines(const struct live_view *view)
{
    const unsigned bars = view->settings->rate > 0 ? LIVE_SERIES : LIVE_SERIES - 1;
    return live_view_figures(view) + bars;
}

void live_view_print(const struct live_view *view, FILE *out, unsigned line, unsigned columns)
{
    const bool skips = line >= WAITS_LINE && live_view_figures(view) == WAITS_LINE;
    lines[line + skips](view, out, columns);
}

/* Lines of figures. */

static void print_clock(const struct live_view *view, FILE *out, unsigned columns)
{
    (void)columns;
    const struct settings *settings = view->settings;
    int64_t elapsed_ns = view->until_ns - view->start_ns;
    fprintf(out, "--- %.0f s", ns_to_seconds(elapsed_ns));
    if (settings->time_ns > 0)
        fprintf(out, " of %.0f s", ns_to_seconds(settings->warmup_ns + settings->time_ns));
    if (elapsed_ns < settings->warmup_ns)
        fprintf(out, ", warm-up");
    fprintf(out, " ---");
}

static void print_rates(const struct live_view *view, FILE *out, unsigned columns)
{
    (void)columns;
    const struct snapshot *s = &view->second;
    fprintf(out, "per second: %.1f completed", per_second(view, s->counter[COUNTER_EVENT]));
    if (view->settings->rate > 0)
        fprintf(out, ", %.1f offered", per_second(view, s->offered));
    fprintf(out, ", %.1f errors",
            per_second(view, s->counter[COUNTER_ERROR] + s->counter[COUNTER_FAILED]));
    if (s->dropped > 0)
        fprintf(out, ", %.1f dropped", per_second(view, s->dropped));
}

static void print_time(FILE *out, const char *name, double ms)
{
    if (isnan(ms))
        fprintf(out, " %s -", name);
    else
        fprintf(out, " %s %.2f", name, ms);
}

static void print_times(const struct live_view *view, FILE *out, unsigned columns)
{
    (void)columns;
    const struct settings *settings = view->settings;
    char name[32];
    fprintf(out, "response (ms):");
    for (unsigned i = 0; i < settings->percentiles; i++) {
        percentile_label(settings->percentile[i], name, sizeof(name));
        print_time(out, name, time_ms(view, settings->percentile[i]));
        fputc(',', out);
    }
    print_time(out, "max", time_ms(view, 100 * PERCENT));
}

static void print_gauges(const struct live_view *view, FILE *out, unsigned columns)
{
    (void)columns;
    if (view->settings->rate > 0)
        fprintf(out, "queue: %llu, ", (unsigned long long)view->gauges.queue_length);
    fprintf(out, "busy: %llu of %u workers", (unsigned long long)view->gauges.concurrency,
            view->gauges.threads_running);
}

/* Shares of the time that requests were in service in this second. */
static void print_waits(const struct live_view *view, FILE *out, unsigned columns)
{
    (void)columns;
    unsigned label[WAITS_SHOWN];
    const unsigned count = wait_span_top(&view->waited, label, WAITS_SHOWN);
    fputs(count > 0 ? "waits:" : "waits: no samples", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s %.0f %% %s", i > 0 ? "," : "", 100 * view->waited.share[label[i]],
                view->waited.names->event[label[i]]);
}

/* Lines of bars. */

/* Returns the maximum over the seconds `from` to `to` - 1, or NAN if none of them has a value. */
static double highest(const double *history, unsigned from, unsigned to)
{
    double value = NAN;
    for (unsigned i = from; i < to; i++)
        value = fmax(value, history[i % LIVE_HISTORY_S]);
    return value;
}

/* Prints a blank if the share is NAN. */
static void print_bar(const struct live_view *view, FILE *out, double share)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ",", "-", "~", "=", "*", "#"};
    if (isnan(share)) {
        fputc(' ', out);
        return;
    }
    unsigned level = (unsigned)fmin(share * ARRAY_SIZE(blocks), ARRAY_SIZE(blocks) - 1);
    fputs(view->utf8 ? blocks[level] : plain[level], out);
}

/* Prints one bar per second. If there are more seconds than columns, each bar shows the maximum
 * of several seconds. */
static void print_bars(const struct live_view *view, FILE *out, const char *name,
                       enum live_series series, unsigned columns)
{
    const double *history = view->history[series];
    unsigned width = columns - LABEL_COLUMNS, shown = min_u32(view->seconds, LIVE_HISTORY_S);
    unsigned step = (shown + width - 1) / width, first = view->seconds - shown;
    first += (step - first % step) % step; /* groups begin at multiples of step, so that bars
                                            * keep their values as they move */
    double top = fmax(0, highest(history, first, view->seconds));
    fprintf(out, "%-12.12s to %-10.6g ", name, top);
    for (unsigned i = first; i < view->seconds; i += step) {
        double value = highest(history, i, min_u32(i + step, view->seconds));
        print_bar(view, out, top > 0 || isnan(value) ? value / top : 0);
    }
}

static void print_completed_bars(const struct live_view *view, FILE *out, unsigned columns)
{
    print_bars(view, out, "completed/s", LIVE_COMPLETED, columns);
}

static void print_time_bars(const struct live_view *view, FILE *out, unsigned columns)
{
    char name[32], percentile[24];
    snprintf(name, sizeof(name), "%s (ms)",
             percentile_label(drawn_percentile(view->settings), percentile, sizeof(percentile)));
    print_bars(view, out, name, LIVE_TIME, columns);
}

static void print_queue_bars(const struct live_view *view, FILE *out, unsigned columns)
{
    print_bars(view, out, "queue", LIVE_QUEUE, columns);
}
