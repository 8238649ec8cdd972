/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --live: how things stand and how they stood the last minutes, at the bottom of the terminal. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "output/output.h"
#include "output/screen.h"
#include "report/report_text.h"

#define HISTORY_S 300
#define LINE_BYTES 2048
#define LINES_MOST 7
#define LINES_LEAST 4

/* What is drawn over time, a value per second. */
enum series { SERIES_COMPLETED, SERIES_TIME, SERIES_QUEUE, SERIES_COUNT };

struct live_output {
    const struct settings *settings;
    struct screen *screen;
    int64_t start_ns; /* 0: before the first collect() */
    int64_t since_ns; /* what is in `second` was recorded since */
    struct snapshot second;
    struct gauges gauges;
    double history[SERIES_COUNT][HISTORY_S]; /* a ring */
    unsigned seconds;                        /* ever written to it */
    bool utf8;
    char text[LINES_MOST][LINE_BYTES];
};

static void live_collect(void *self, const struct snapshot *recorded)
{
    struct live_output *live = self;
    if (live->start_ns == 0) /* what was recorded in a time unknown says nothing of a rate */
        live->start_ns = live->since_ns = clock_now_ns();
    else
        snapshot_add(&live->second, recorded);
}

static double per_second(const struct live_output *live, uint64_t count, int64_t now_ns)
{
    return (double)count / ns_to_seconds(now_ns - live->since_ns);
}

/* The percentile that is drawn: the highest of those asked for, 95 % when there are none. */
static int64_t drawn_percentile(const struct settings *settings)
{
    int64_t highest = settings->percentiles > 0 ? 0 : 95 * PERCENT;
    for (unsigned i = 0; i < settings->percentiles; i++)
        highest = max_i64(highest, settings->percentile[i]);
    return highest;
}

static double time_ms(const struct live_output *live, int64_t percentile)
{
    return ns_to_ms(distribution_percentile(&live->second.metric[METRIC_RESPONSE], percentile).ns);
}

static void remember(struct live_output *live, int64_t now_ns)
{
    unsigned at = live->seconds++ % HISTORY_S;
    live->history[SERIES_COMPLETED][at] =
        per_second(live, live->second.counter[COUNTER_EVENT], now_ns);
    live->history[SERIES_TIME][at] = time_ms(live, drawn_percentile(live->settings));
    live->history[SERIES_QUEUE][at] = (double)live->gauges.queue_length;
}

/* Lines of figures. */

static void print_clock(const struct live_output *live, FILE *out, int64_t now_ns)
{
    const struct settings *settings = live->settings;
    double elapsed_s = ns_to_seconds(now_ns - live->start_ns);
    fprintf(out, "--- %.0f s", elapsed_s);
    if (settings->time_ns > 0)
        fprintf(out, " of %.0f s", ns_to_seconds(settings->warmup_ns + settings->time_ns));
    if (now_ns - live->start_ns < settings->warmup_ns)
        fprintf(out, ", warm-up");
    fprintf(out, " ---");
}

static void print_rates(const struct live_output *live, FILE *out, int64_t now_ns)
{
    const uint64_t *counter = live->second.counter;
    fprintf(out, "per second: %.1f completed", per_second(live, counter[COUNTER_EVENT], now_ns));
    if (live->settings->rate > 0)
        fprintf(out, ", %.1f arrived", per_second(live, live->second.offered, now_ns));
    fprintf(out, ", %.1f errors",
            per_second(live, counter[COUNTER_ERROR] + counter[COUNTER_FAILED], now_ns));
    if (live->second.dropped > 0)
        fprintf(out, ", %.1f dropped", per_second(live, live->second.dropped, now_ns));
}

static void print_times(const struct live_output *live, FILE *out)
{
    const struct settings *settings = live->settings;
    char name[32];
    fprintf(out, "response (ms):");
    for (unsigned i = 0; i < settings->percentiles; i++)
        fprintf(out, " %s%% %.2f,",
                report_percentile_name(settings->percentile[i], name, sizeof(name)),
                time_ms(live, settings->percentile[i]));
    fprintf(out, " max %.2f", time_ms(live, 100 * PERCENT));
}

static void print_gauges(const struct live_output *live, FILE *out)
{
    if (live->settings->rate > 0)
        fprintf(out, "queue: %llu waiting, ", (unsigned long long)live->gauges.queue_length);
    fprintf(out, "%llu of %u workers busy", (unsigned long long)live->gauges.concurrency,
            live->gauges.threads_running);
}

/* Lines of history. */

/* The largest of the seconds number `from` to `to`. */
static double highest(const double *history, unsigned from, unsigned to)
{
    double value = 0;
    for (unsigned i = from; i < to; i++)
        value = fmax(value, history[i % HISTORY_S]);
    return value;
}

static void print_bar(const struct live_output *live, FILE *out, double share)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ",", "-", "~", "=", "*", "#"};
    unsigned level = (unsigned)fmin(share * ARRAY_SIZE(blocks), ARRAY_SIZE(blocks) - 1);
    fputs(live->utf8 ? blocks[level] : plain[level], out);
}

/* A bar per second; per few seconds when all the minutes would not fit, the highest of them. */
static void print_history(const struct live_output *live, FILE *out, const char *name,
                          enum series series)
{
    const double *history = live->history[series];
    unsigned label = 28, width = screen_columns(live->screen) - label;
    unsigned shown = min_u32(live->seconds, HISTORY_S), step = (shown + width - 1) / width;
    unsigned first = live->seconds - shown;
    first += (step - first % step) % step; /* so that bars do not change as they move on */
    double top = highest(history, first, live->seconds);
    fprintf(out, "%-12.12s to %-10.6g ", name, top);
    for (unsigned i = first; i < live->seconds; i += step) {
        double value = highest(history, i, min_u32(i + step, live->seconds));
        print_bar(live, out, top > 0 ? value / top : 0);
    }
}

static void print_line(const struct live_output *live, FILE *out, unsigned line, int64_t now_ns)
{
    char name[32], percentile[24];
    switch (line) {
    case 0:
        print_clock(live, out, now_ns);
        break;
    case 1:
        print_rates(live, out, now_ns);
        break;
    case 2:
        print_times(live, out);
        break;
    case 3:
        print_gauges(live, out);
        break;
    case 4:
        print_history(live, out, "completed/s", SERIES_COMPLETED);
        break;
    case 5:
        snprintf(name, sizeof(name), "%s%% (ms)",
                 report_percentile_name(drawn_percentile(live->settings), percentile,
                                        sizeof(percentile)));
        print_history(live, out, name, SERIES_TIME);
        break;
    default:
        print_history(live, out, "waiting", SERIES_QUEUE);
    }
}

static void draw(struct live_output *live, int64_t now_ns)
{
    /* Nothing waits in a closed loop. */
    unsigned most = live->settings->rate > 0 ? LINES_MOST : LINES_MOST - 1;
    unsigned lines = screen_fit(live->screen, most, LINES_LEAST);
    const char *line[LINES_MOST];
    if (lines == 0)
        return;
    for (unsigned i = 0; i < lines; i++) {
        FILE *out = checked_alloc(fmemopen(live->text[i], LINE_BYTES, "w"));
        print_line(live, out, i, now_ns);
        fclose(out);
        live->text[i][LINE_BYTES - 1] = '\0';
        line[i] = live->text[i];
    }
    screen_show(live->screen, line);
}

static void live_update(void *self, struct gauges gauges)
{
    struct live_output *live = self;
    int64_t now_ns = clock_now_ns();
    if (live->screen == NULL || live->start_ns == 0 || now_ns - live->since_ns < NS_PER_SEC)
        return;
    live->gauges = gauges;
    remember(live, now_ns);
    draw(live, now_ns);
    snapshot_reset(&live->second);
    live->since_ns = now_ns;
}

static int live_finish(void *self, const struct snapshot *total)
{
    (void)total;
    struct live_output *live = self;
    screen_close(live->screen);
    live->screen = NULL;
    return 0;
}

static void live_destroy(void *self)
{
    struct live_output *live = self;
    if (live->screen != NULL)
        screen_close(live->screen);
    snapshot_fini(&live->second);
    free(live);
}

static const struct output_ops live_ops = {
    .collect = live_collect, .update = live_update, .finish = live_finish, .destroy = live_destroy};

/* By the environment, as setlocale() would: the program itself stays in the locale "C". */
static bool terminal_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *locale = getenv(names[i]);
        if (locale != NULL && locale[0] != '\0')
            return strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
    }
    return false;
}

bool output_live_open(struct output *output, const struct settings *settings)
{
    struct screen *screen = screen_open();
    if (screen == NULL)
        return false;
    struct live_output *self = xcalloc(1, sizeof(*self));
    self->settings = settings;
    self->screen = screen;
    self->utf8 = terminal_is_utf8();
    snapshot_init(&self->second);
    *output = (struct output){&live_ops, self};
    return true;
}
