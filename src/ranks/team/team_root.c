/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranks/team/team_root.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

/* How long an interval waits for the ticks of late ranks before it is presented. */
#define LATE_NS NS_PER_SEC
/* If this process was not scheduled for this long, the silence of other ranks means nothing. */
#define ABSENT_NS (2 * NS_PER_SEC)

struct pending {
    struct pending *next;
    struct tick tick;
};

void root_init(struct root *root, struct crew *crew, const struct presenter *presenter)
{
    *root = (struct root){.crew = crew, .settings = presenter->settings, .presenter = *presenter};
    for (unsigned phase = 0; phase < PHASES; phase++)
        snapshot_init(&root->feed.phase[phase]);
    reporter_init(&root->reporter, NULL, &root->presenter);
    root->reporter.feed = &root->feed;
    root->ranks = xcalloc(crew->world.ranks, sizeof(*root->ranks));
    root->parts = interval_ranks_create(crew->world.ranks);
    wait_names_init(&root->waits);
    root->reporter.interval.rank = root->parts;
    root->reporter.interval.ranks = crew->world.ranks;
    for (unsigned r = 0; r < crew->world.ranks; r++) {
        snapshot_init(&root->ranks[r].received);
        root->ranks[r].last = &root->ranks[r].first;
    }
    root->next_ns = tick_after(root->settings, 0);
}

static void pending_destroy(struct pending *p)
{
    tick_fini(&p->tick);
    free(p);
}

static struct pending *pending_make(struct root_rank *from)
{
    struct pending *p = from->spare;
    from->spare = NULL;
    if (p == NULL) {
        p = xcalloc(1, sizeof(*p));
        tick_init(&p->tick);
    }
    p->next = NULL;
    return p;
}

/* Keeps a used tick for the next tick of the same rank, because allocating its memory takes longer
 * than decoding. */
static void pending_spare(struct root_rank *from, struct pending *p)
{
    if (from->spare != NULL) {
        pending_destroy(p);
        return;
    }
    tick_reset(&p->tick);
    from->spare = p;
}

static struct pending *take_first(struct root_rank *rank)
{
    struct pending *p = rank->first;
    rank->first = p->next;
    if (rank->first == NULL)
        rank->last = &rank->first;
    return p;
}

void root_fini(struct root *root)
{
    for (unsigned r = 0; r < root->crew->world.ranks; r++) {
        while (root->ranks[r].first != NULL)
            pending_destroy(take_first(&root->ranks[r]));
        if (root->ranks[r].spare != NULL)
            pending_destroy(root->ranks[r].spare);
        snapshot_fini(&root->ranks[r].received);
        bytes_fini(&root->ranks[r].result);
    }
    free(root->ranks);
    interval_ranks_destroy(root->parts, root->crew->world.ranks);
    reporter_fini(&root->reporter);
    for (unsigned phase = 0; phase < PHASES; phase++)
        snapshot_fini(&root->feed.phase[phase]);
}

void root_begin(struct root *root, int64_t start_ns)
{
    root->start_ns = root->looked_ns = start_ns;
    for (unsigned r = 0; r < root->crew->world.ranks; r++)
        root->crew->mates[r].heard_ns = start_ns;
}

/* A lost rank stays lost if it sends again. Send it CREW_LATE once; from then on it also receives
 * CREW_ALIVE. A rank that receives nothing would end the run of the other ranks. */
static void turn_away(struct root *root, unsigned rank)
{
    struct crew_mate *mate = &root->crew->mates[rank];
    if (mate->back)
        return;
    mate->back = true;
    crew_send(root->crew, rank, CREW_LATE, NULL, 0);
}

void root_take_tick(struct root *root, unsigned rank, const void *bytes, size_t size)
{
    struct root_rank *from = &root->ranks[rank];
    if (from->gone_ns != 0) {
        turn_away(root, rank);
        return;
    }
    struct pending *p = pending_make(from);
    if (tick_decode(&p->tick, bytes, size, &root->waits) != 0) {
        log_text(LOG_WARNING, "ignoring an unreadable message from %s",
                 crew_name(root->crew, rank));
        pending_destroy(p);
        return;
    }
    from->until_ns = p->tick.until_ns;
    from->end_ns = p->tick.end_ns;
    from->late_ns = max_i64(from->late_ns, p->tick.late_ns);
    from->gauges = p->tick.gauges;
    from->threads = p->tick.threads;
    *from->last = p;
    from->last = &p->next;
}

void root_take_result(struct root *root, unsigned rank, const void *bytes, size_t size)
{
    if (root->ranks[rank].gone_ns == 0)
        bytes_put(&root->ranks[rank].result, bytes, size);
}

/* Updates the mean and standard deviation of `before` values for `n` more values with the given
 * mean and deviation. */
static void add_spread(double *mean, double *stddev, unsigned before, double mean_of_n,
                       double stddev_of_n, unsigned n)
{
    const double all = (double)before + n, apart = mean_of_n - *mean;
    const double squares = before * *stddev * *stddev + n * stddev_of_n * stddev_of_n +
                           apart * apart * before * n / all;
    *mean += apart * n / all;
    *stddev = sqrt(squares / all);
}

static void add_fairness(struct fairness *f, unsigned before, const struct fairness *more,
                         unsigned n)
{
    if (n == 0)
        return;
    add_spread(&f->events_mean, &f->events_stddev, before, more->events_mean, more->events_stddev,
               n);
    add_spread(&f->seconds_mean, &f->seconds_stddev, before, more->seconds_mean,
               more->seconds_stddev, n);
}

static void add_tick(struct root *root, struct root_rank *from, const struct tick *tick)
{
    for (unsigned phase = 0; phase < PHASES; phase++) {
        snapshot_merge(&root->feed.phase[phase], &tick->phase[phase]);
        interval_rank_add(&root->parts[from - root->ranks], &tick->phase[phase]);
    }
    snapshot_add(&from->received, &tick->phase[PHASE_MEASURED]);
    wait_span_merge(&root->reporter.interval.waits, &tick->waits);
    from->fairness = tick->fairness;
    root->feed.in_service_ns += tick->in_service_ns - from->in_service_ns;
    from->in_service_ns = tick->in_service_ns;
}

/* Adds all ticks up to this time, including late ticks of earlier times. */
static void add_ticks(struct root *root, int64_t until_ns)
{
    for (unsigned r = 0; r < root->crew->world.ranks; r++) {
        struct root_rank *from = &root->ranks[r];
        while (from->first != NULL && from->first->tick.until_ns <= until_ns) {
            struct pending *p = take_first(from);
            add_tick(root, from, &p->tick);
            pending_spare(from, p);
        }
    }
}

static struct gauges all_gauges(const struct root *root)
{
    struct gauges all = {0};
    for (unsigned r = 0; r < root->crew->world.ranks; r++) {
        all.threads_running += root->ranks[r].gauges.threads_running;
        all.queue_length += root->ranks[r].gauges.queue_length;
        all.concurrency += root->ranks[r].gauges.concurrency;
        all.sessions += root->ranks[r].gauges.sessions;
    }
    return all;
}

static struct fairness all_fairness(const struct root *root)
{
    struct fairness all = {0};
    unsigned threads = 0;
    for (unsigned r = 0; r < root->crew->world.ranks; r++) {
        add_fairness(&all, threads, &root->ranks[r].fairness, root->ranks[r].threads);
        threads += root->ranks[r].threads;
    }
    return all;
}

static void end_interval(struct root *root, int64_t at_ns, struct gauges gauges)
{
    reporter_interval(&root->reporter, at_ns, gauges);
    interval_ranks_reset(root->parts, root->crew->world.ranks);
}

/* Processes one tick time, after all ticks for it have arrived or are given up. */
static void process_tick_time(struct root *root, int64_t at_ns)
{
    const struct gauges gauges = all_gauges(root);
    add_ticks(root, at_ns);
    if (tick_ends_interval(root->settings, at_ns))
        end_interval(root, at_ns, gauges);
    else
        reporter_collect(&root->reporter, at_ns);
    outputs_update(root->presenter.outputs, gauges);
    root->slo_lost =
        root->slo_lost ||
        reporter_objectives_lost(&root->reporter, at_ns, gauges.queue_length + gauges.concurrency);
    if (!tick_is_checkpoint(root->settings, at_ns))
        return;
    root->feed.fairness = all_fairness(root);
    reporter_checkpoint(&root->reporter, at_ns);
}

/* Returns the number of ranks whose ticks up to this time have not arrived; *first is the first of
 * them. */
static unsigned missing_at(const struct root *root, int64_t at_ns, unsigned *first)
{
    unsigned missing = 0;
    for (unsigned r = root->crew->world.ranks; r-- > 0;) {
        if (root->ranks[r].until_ns >= at_ns || root->crew->mates[r].lost)
            continue;
        missing++;
        *first = r;
    }
    return missing;
}

/* Logs a warning once, until all ranks are in time again. */
static void log_late_ranks(struct root *root, int64_t at_ns, unsigned missing, unsigned first)
{
    const unsigned ranks = root->crew->world.ranks;
    if (missing > 0 && !root->late_logged)
        log_text(LOG_WARNING,
                 "%g s: figures of %u of %u ranks; those of %s%s are late and will be part of a "
                 "later line",
                 ns_to_seconds(at_ns), ranks - missing, ranks, crew_name(root->crew, first),
                 missing > 1 ? " and others" : "");
    root->late_logged = missing > 0;
}

static bool all_have_ended(const struct root *root)
{
    for (unsigned r = 0; r < root->crew->world.ranks; r++)
        if (root->ranks[r].until_ns != INT64_MAX && !root->crew->mates[r].lost)
            return false;
    return true;
}

static void declare_lost(struct root *root, unsigned rank, const char *how)
{
    struct root_rank *lost = &root->ranks[rank];
    root->crew->mates[rank].lost = true;
    root->lost = true;
    lost->gone_ns = root->looked_ns;
    log_text(LOG_ALERT,
             "%s was lost %.1f s after the start: %s. Its figures until %g s are included; later "
             "ones are unknown",
             crew_name(root->crew, rank), ns_to_seconds(lost->gone_ns - root->start_ns), how,
             ns_to_seconds(lost->until_ns == INT64_MAX ? lost->end_ns : lost->until_ns));
}

static void find_lost(struct root *root, int64_t now_ns)
{
    const bool was_absent = now_ns - root->looked_ns > ABSENT_NS;
    root->looked_ns = now_ns;
    if (was_absent)
        root->back_ns = now_ns;
    for (unsigned r = 1; r < root->crew->world.ranks; r++) {
        struct crew_mate *mate = &root->crew->mates[r];
        if (was_absent)
            mate->heard_ns = max_i64(mate->heard_ns, now_ns - ABSENT_NS);
        if (root->ranks[r].gone_ns != 0 || root->ranks[r].result.count > 0)
            continue;
        if (mate->left)
            declare_lost(root, r, "it has ended");
        else if (mate->lost)
            declare_lost(root, r, "it cannot be reached");
        else if (now_ns - mate->heard_ns > CREW_SILENCE_NS)
            declare_lost(root, r, "no message arrived for 10 s");
    }
}

void root_step(struct root *root, int64_t now_ns)
{
    unsigned first = 0;
    find_lost(root, now_ns);
    while (now_ns - root->start_ns >= root->next_ns && !all_have_ended(root)) {
        const unsigned missing = missing_at(root, root->next_ns, &first);
        if (missing > 0 &&
            now_ns < max_i64(root->start_ns + root->next_ns, root->back_ns) + LATE_NS)
            return;
        log_late_ranks(root, root->next_ns, missing, first);
        process_tick_time(root, root->next_ns);
        root->next_ns = tick_after(root->settings, root->next_ns);
    }
}

bool root_has_all(const struct root *root)
{
    for (unsigned r = 0; r < root->crew->world.ranks; r++)
        if (root->ranks[r].result.count == 0 && root->ranks[r].gone_ns == 0)
            return false;
    return true;
}

void root_give_up(struct root *root)
{
    for (unsigned r = 1; r < root->crew->world.ranks; r++)
        if (root->ranks[r].result.count == 0 && root->ranks[r].gone_ns == 0)
            declare_lost(root, r, "its result did not arrive in time");
}

static int64_t last_end_ns(const struct root *root)
{
    int64_t end_ns = 0;
    for (unsigned r = 0; r < root->crew->world.ranks; r++)
        end_ns = max_i64(end_ns, root->ranks[r].end_ns);
    return end_ns;
}

void root_finish(struct root *root)
{
    const int64_t end_ns = max_i64(last_end_ns(root), root->reporter.interval.snapshot.to_ns);
    add_ticks(root, INT64_MAX);
    reporter_collect(&root->reporter, end_ns);
    if (root->settings->report_interval_ns == 0 ||
        !reporter_interval_pending(&root->reporter, end_ns, NS_PER_MS))
        return;
    root->reporter.interval.last = true;
    end_interval(root, end_ns, all_gauges(root));
}
