/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/certain/until_watch.h"

#include <math.h>

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"

#define DOUBT 0.05
/* Times of the looks grow by this factor. */
#define GROWTH 1.25

void until_watch_init(struct until_watch *w, const struct until *until, int64_t span_ns,
                      int64_t time_ns)
{
    const int64_t first_ns = UNTIL_BATCHES_MIN * span_ns;
    const double growth = fmax(1, (double)time_ns / (double)first_ns);
    *w = (struct until_watch){.until = until,
                              .doubt = DOUBT / (1 + floor(log(growth) / log(GROWTH))),
                              .first_look_ns = first_ns,
                              .next_look_ns = first_ns};
    for (unsigned i = 0; i < UNTIL_MAX; i++)
        w->reached[i] = INFINITY;
}

/* Returns the larger distance from the figure to a bound, as a share of the figure. */
static double relative(struct confidence c, double figure)
{
    if (!c.known || !(figure > 0))
        return INFINITY;
    return fmax((double)c.high_ns - figure, figure - (double)c.low_ns) / figure;
}

static double precision_of(const struct until_goal *goal, double doubt,
                           const struct batch_series *b, const struct distribution *all)
{
    if (goal->kind == UNTIL_THROUGHPUT)
        return batch_series_throughput_precision(b, doubt);
    if (goal->kind == UNTIL_MEAN)
        return relative(batch_series_mean_at(b, all, doubt), distribution_mean_ns(all));
    return relative(batch_series_percentile_at(b, all, goal->percentile, doubt),
                    (double)distribution_percentile(all, goal->percentile).ns);
}

bool until_watch_look(struct until_watch *w, int64_t measured_ns, const struct batch_series *b,
                      const struct distribution *all)
{
    bool reached = w->until->count > 0;
    if (!reached || measured_ns < w->next_look_ns || b->count < UNTIL_BATCHES_MIN ||
        all->count == 0)
        return false;
    while (w->next_look_ns <= measured_ns)
        w->next_look_ns = (int64_t)((double)w->next_look_ns * GROWTH);
    w->looks++;
    for (unsigned i = 0; i < w->until->count; i++) {
        w->reached[i] = precision_of(&w->until->goal[i], w->doubt, b, all);
        reached = reached && w->reached[i] <= w->until->goal[i].precision;
    }
    return reached;
}

static bool is_reached(const struct until_watch *w, unsigned i)
{
    return w->reached[i] <= w->until->goal[i].precision;
}

static void warn_of_goal(const struct until_watch *w, unsigned i, double seconds)
{
    char name[UNTIL_NAME_BYTES];
    const double asked = 100 * w->until->goal[i].precision;
    until_name(&w->until->goal[i], name);
    if (w->reached[i] < INFINITY)
        log_text(LOG_WARNING,
                 "--until: %s±%.4g%% was not reached in %.2f s (--time): at the last look it was "
                 "known to ± %.3g %%",
                 name, asked, seconds, 100 * w->reached[i]);
    else
        log_text(LOG_WARNING,
                 "--until: %s±%.4g%% was not reached in %.2f s (--time): there were too few "
                 "requests for an interval",
                 name, asked, seconds);
}

void until_watch_log(const struct until_watch *w, int64_t measured_ns)
{
    char text[UNTIL_MAX * (UNTIL_NAME_BYTES + 24)] = "";
    const double seconds = ns_to_seconds(measured_ns);
    unsigned reached = 0;
    for (unsigned i = 0; i < w->until->count; i++) {
        char name[UNTIL_NAME_BYTES];
        const size_t used = strlen(text);
        reached += is_reached(w, i);
        snprintf(text + used, sizeof(text) - used, "%s%s ± %.3g %%", i > 0 ? ", " : "",
                 until_name(&w->until->goal[i], name), 100 * w->reached[i]);
    }
    if (w->until->count > 0 && reached == w->until->count)
        log_text(LOG_NOTICE, "--until: reached after %.2f s: %s", seconds, text);
    for (unsigned i = 0; reached < w->until->count && i < w->until->count; i++)
        if (!is_reached(w, i))
            warn_of_goal(w, i, seconds);
}
