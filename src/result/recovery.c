/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/recovery.h"

#include "base/sort.h"

/* Number of windows from which the level before a disturbance is taken. */
#define WINDOWS 20
/* The level is the value that this percentage of the windows do not exceed. The largest value alone
 * may be an accident. */
#define LEVEL_PERCENT 90
/* The length of a window is 1/SHARE_OF_RUN of the run, but at most LONGEST_NS and at least
 * SHORTEST_NS. */
#define LONGEST_NS NS_PER_SEC
#define SHARE_OF_RUN 60
#define SHORTEST_NS (NS_PER_SEC / 10)

#define DEFAULT_PERCENTILE (95 * PERCENT)

struct window {
    int64_t from_ns, to_ns;
    int64_t value_ns; /* percentile of the response times in the window */
};

struct recovery {
    int64_t window_ns, percentile;
    struct distribution current; /* response times of the current window, which began at from_ns */
    int64_t from_ns;
    struct window past[WINDOWS]; /* ring of the latest windows that had response times */
    uint64_t windows;            /* number of windows ever put into the ring */
    struct recovery_watch *watches;
};

static int64_t window_of(const struct settings *settings)
{
    if (settings->time_ns == 0)
        return LONGEST_NS;
    return max_i64(SHORTEST_NS, min_i64(LONGEST_NS, settings->time_ns / SHARE_OF_RUN));
}

/* Returns the highest percentile below 100 % that was asked for. The maximum of a single window is
 * chance. */
static int64_t percentile_of(const struct settings *settings)
{
    int64_t highest = 0;
    for (unsigned i = 0; i < settings->percentiles; i++)
        if (settings->percentile[i] < 100 * PERCENT)
            highest = max_i64(highest, settings->percentile[i]);
    return highest > 0 ? highest : DEFAULT_PERCENTILE;
}

struct recovery *recovery_create(const struct settings *settings, int64_t percentile)
{
    struct recovery *r = xcalloc(1, sizeof(*r));
    r->window_ns = window_of(settings);
    r->percentile = percentile > 0 ? percentile : percentile_of(settings);
    distribution_init(&r->current);
    return r;
}

void recovery_destroy(struct recovery *r)
{
    if (r == NULL)
        return;
    distribution_fini(&r->current);
    free(r);
}

int64_t recovery_window_ns(const struct recovery *r)
{
    return r->window_ns;
}

int64_t recovery_percentile(const struct recovery *r)
{
    return r->percentile;
}

/* Returns the level by nearest rank over the windows between two times, or −1 if there are no
 * windows. */
static int64_t level_of(const struct recovery *r, int64_t from_ns, int64_t to_ns)
{
    int64_t values[WINDOWS];
    unsigned count = 0;
    for (unsigned i = 0; i < WINDOWS && i < r->windows; i++)
        if (r->past[i].from_ns >= from_ns && r->past[i].to_ns <= to_ns)
            values[count++] = r->past[i].value_ns;
    sort_i64(values, count);
    return count > 0 ? values[(count * LEVEL_PERCENT + 99) / 100 - 1] : -1;
}

void recovery_watch(struct recovery *r, struct recovery_watch *watch, int64_t since_ns,
                    int64_t now_ns)
{
    const int64_t first_ns = max_i64(since_ns, now_ns - WINDOWS * r->window_ns);
    *watch = (struct recovery_watch){.level_ns = level_of(r, first_ns, now_ns),
                                     .after_ns = INT64_MAX,
                                     .back_ns = -1,
                                     .next = r->watches};
    r->watches = watch;
}

static void look(struct recovery_watch *watch, const struct window *window)
{
    if (watch->level_ns >= 0 && watch->back_ns < 0 && window->from_ns >= watch->after_ns &&
        window->value_ns <= watch->level_ns)
        watch->back_ns = window->from_ns;
}

void recovery_add(struct recovery *r, const struct distribution *response)
{
    distribution_add(&r->current, response);
}

void recovery_end_window(struct recovery *r, int64_t now_ns)
{
    struct window window = {r->from_ns, now_ns, 0};
    r->from_ns = now_ns;
    if (r->current.count == 0)
        return;
    window.value_ns = distribution_percentile(&r->current, r->percentile).ns;
    distribution_reset(&r->current);
    r->past[r->windows++ % WINDOWS] = window;
    for (struct recovery_watch *watch = r->watches; watch != NULL; watch = watch->next)
        look(watch, &window);
}

void recovery_end_due_window(struct recovery *r, int64_t now_ns)
{
    if (now_ns - r->from_ns >= r->window_ns)
        recovery_end_window(r, now_ns);
}
