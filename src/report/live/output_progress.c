/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of progress for a run without --report-interval on a terminal. */
#include "report/live/output_kinds.h"

#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "report/live/screen.h"

static void progress_collect(void *self, const struct snapshot *recorded);
static void progress_look(void *self, struct gauges gauges, int64_t at_ns);
static int progress_finish(void *self, const struct snapshot *total);
static void progress_destroy(void *self);

static const struct output_ops progress_ops = {.collect = progress_collect,
                                               .look = progress_look,
                                               .finish = progress_finish,
                                               .destroy = progress_destroy};

struct progress {
    const struct settings *settings;
    struct screen *screen; /* NULL after the end of the run */
    int64_t shown_ns;      /* last time the line was shown, since the start of the run */
    uint64_t all;          /* events since the start of the run */
    /* Since the line was shown last. */
    uint64_t completed, failed;
    double response_ns;
};

/* Returns true if a person watches the terminal and no other output shows progress. */
static bool is_wanted(const struct settings *settings)
{
    return settings->report_interval_ns == 0 && settings->layout == LAYOUT_FULL &&
           settings->report_format == REPORT_FORMAT_TEXT && !settings->live &&
           log_enabled(LOG_NOTICE) && isatty(STDOUT_FILENO);
}

int output_progress(struct output *output, const struct settings *settings)
{
    struct screen *screen = is_wanted(settings) ? screen_open("the line of progress") : NULL;
    if (screen == NULL)
        return 0;
    struct progress *self = xcalloc(1, sizeof(*self));
    self->settings = settings;
    self->screen = screen;
    *output = (struct output){&progress_ops, self};
    return 0;
}

static void progress_collect(void *self, const struct snapshot *recorded)
{
    struct progress *p = self;
    p->completed += recorded->counter[COUNTER_EVENT];
    p->failed += recorded->counter[COUNTER_FAILED];
    p->all += recorded->counter[COUNTER_EVENT];
    p->response_ns += (double)recorded->metric[METRIC_RESPONSE].sum_ns;
}

static void print_place(FILE *out, const struct progress *p, int64_t at_ns)
{
    const struct settings *settings = p->settings;
    fprintf(out, "[ %.0f", ns_to_seconds(at_ns));
    if (settings->time_ns > 0)
        fprintf(out, " of %.0f", ns_to_seconds(settings->warmup_ns + settings->time_ns));
    fputs(" s", out);
    if (settings->events > 0)
        fprintf(out, ", %llu of %lld events", (unsigned long long)p->all,
                (long long)settings->events);
    fputs(at_ns < settings->warmup_ns ? ", warm-up ] " : " ] ", out);
}

static void print_progress(FILE *out, const struct progress *p, struct gauges gauges, int64_t at_ns)
{
    const double seconds = ns_to_seconds(at_ns - p->shown_ns);
    print_place(out, p, at_ns);
    fprintf(out, "%.1f/s", (double)p->completed / seconds);
    if (p->completed > 0)
        fprintf(out, ", mean %.2f ms", p->response_ns / (double)p->completed / NS_PER_MS);
    if (p->settings->rate > 0)
        fprintf(out, ", queue %llu, busy %llu", (unsigned long long)gauges.queue_length,
                (unsigned long long)gauges.concurrency);
    if (p->failed > 0)
        fprintf(out, ", failed %llu", (unsigned long long)p->failed);
}

static void draw(struct progress *p, struct gauges gauges, int64_t at_ns)
{
    char text[256];
    const char *line = text;
    FILE *out = checked_alloc(fmemopen(text, sizeof(text), "w"));
    print_progress(out, p, gauges, at_ns);
    fclose(out);
    text[sizeof(text) - 1] = '\0';
    if (screen_fit(p->screen, 1, 1) > 0)
        screen_show(p->screen, &line);
}

static void progress_look(void *self, struct gauges gauges, int64_t at_ns)
{
    struct progress *p = self;
    if (p->screen == NULL || at_ns - p->shown_ns < NS_PER_SEC)
        return;
    draw(p, gauges, at_ns);
    p->shown_ns = at_ns;
    p->completed = p->failed = 0;
    p->response_ns = 0;
}

static int progress_finish(void *self, const struct snapshot *total)
{
    (void)total;
    struct progress *p = self;
    screen_close(p->screen);
    p->screen = NULL;
    return 0;
}

static void progress_destroy(void *self)
{
    struct progress *p = self;
    if (p->screen != NULL)
        screen_close(p->screen);
    free(p);
}
