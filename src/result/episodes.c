/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/episodes.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "stats/noise.h"

/* The measured part is divided into at most this many cells of equal length, from which episodes
 * are made. */
#define CELLS 100
/* Fewest requests served in an episode, and in all of the measured part. */
#define SERVED_MIN 30
#define ALL_MIN 200
/* Smallest load of an episode of overload. */
#define LOAD_MIN 1.02
/* Shortest episode, in mean service times. While a run is shorter than many service times, the
 * first requests that complete are the short ones. */
#define SERVICES_MIN 10
/*
 * Largest probability with which chance alone may explain a part: its load above 1 (CHANCE_LOAD),
 * its service times in an episode that also has a load above 1 (CHANCE_SERVICE), or its service
 * times in a run without overload (CHANCE_CHANGE). These are probabilities for a single part. They
 * are small, because the most unusual one of thousands of parts is judged.
 */
#define CHANCE_LOAD 5e-7
#define CHANCE_SERVICE 2e-6
#define CHANCE_CHANGE 1e-7
/* Standard errors by which the load must exceed 1 in a part that differs from the rest in its
 * service times or in the arrival rate asked for. */
#define SIGMAS_GIVEN 2.5
/* Smallest ratio of the arrival rates asked for in a part and in the rest with which the part
 * differs from the rest. */
#define ASKED_RATIO 1.1
/* The backlog must grow by at least this share of the requests that exceed what can be served. */
#define GROWTH 0.25
/* A disturbance of at most this number of cells does not hide an episode. */
#define DISTURBED 2
/* Fewest cells of an episode, or of the rest, whose scatter is estimated without that of others. */
#define GROUP_MIN 10
/* Number of cells before an episode in which the service times may already grow. */
#define EDGE 5
/* Smallest ratio of the mean service times, and smallest share of the measured part, of a part with
 * other service times. The rest must have at least this share, too. */
#define CHANGE_RATIO 2.0
#define CHANGE_SHARE_MIN 0.1

/* Sums over a part of the run without its gaps. */
struct sums {
    double asked, span_ns, served, service_ns, dropped;
};

struct cell {
    struct sums sums;
    double in_system; /* number of requests in the system at the end of the cell */
    bool taken;       /* true if the cell is part of an episode that was found */
    bool around; /* true if the cell is next to an episode, or its backlog is worked off then */
    unsigned episode; /* number of this episode, from 0 */
};

struct grid {
    const struct episodes_search *search;
    int64_t cell_ns;
    unsigned count;
    struct cell cell[CELLS];
    struct sums before[CELLS + 1]; /* sums of all cells before cell i */
};

/* Cells from `first` to `last` − 1. */
struct part {
    unsigned first, last;
};

static void add(struct sums *to, const struct sums *from, double sign)
{
    to->asked += sign * from->asked;
    to->span_ns += sign * from->span_ns;
    to->served += sign * from->served;
    to->service_ns += sign * from->service_ns;
    to->dropped += sign * from->dropped;
}

/* Returns true if a gap overlaps the window, or ends where the window begins: the requests that
 * were in service during the gap complete there. */
static bool is_in_gap(const struct episodes_search *s, const struct audit_window *w)
{
    for (unsigned i = 0; i < s->gaps; i++)
        if (w->from_ns <= s->gap[i].to_ns && w->to_ns > s->gap[i].from_ns)
            return true;
    return false;
}

static void fill_cell(struct grid *g, const struct audit_window *w)
{
    const int64_t middle_ns = w->from_ns + (w->to_ns - w->from_ns) / 2;
    if (w->from_ns < g->search->from_ns || middle_ns >= g->search->to_ns)
        return;
    struct cell *cell =
        &g->cell[min_i64(g->count - 1, (middle_ns - g->search->from_ns) / g->cell_ns)];
    cell->in_system = (double)w->in_system;
    if (is_in_gap(g->search, w))
        return;
    const struct sums sums = {w->asked, (double)(w->to_ns - w->from_ns), (double)w->served,
                              w->service_sum_ns, (double)w->dropped};
    add(&cell->sums, &sums, 1);
}

static void make_grid(struct grid *g, const struct episodes_search *search)
{
    const struct audit *audit = search->audit;
    const int64_t span_ns = search->to_ns - search->from_ns;
    size_t windows = 0;
    for (size_t i = 0; i < audit->count; i++)
        windows += audit->windows[i].from_ns >= search->from_ns &&
                   audit->windows[i].from_ns < search->to_ns;
    *g = (struct grid){.search = search,
                       .count = (unsigned)max_i64(1, min_i64(CELLS, (int64_t)windows / 2))};
    g->cell_ns = max_i64(1, span_ns / g->count);
    for (size_t i = 0; i < audit->count; i++)
        fill_cell(g, &audit->windows[i]);
    for (unsigned i = 0; i < g->count; i++) {
        g->before[i + 1] = g->before[i];
        add(&g->before[i + 1], &g->cell[i].sums, 1);
    }
}

static struct sums sums_of(const struct grid *g, struct part part)
{
    struct sums sums = g->before[part.last];
    add(&sums, &g->before[part.first], -1);
    return sums;
}

static double load_of(const struct grid *g, const struct sums *s)
{
    return s->asked * s->service_ns / s->served / (g->search->workers * s->span_ns);
}

/* Returns true if the part is long enough to be judged. */
static bool suffices(const struct sums *s)
{
    return s->served >= SERVED_MIN && s->span_ns >= SERVICES_MIN * s->service_ns / s->served;
}

/* Returns the number of standard errors by which the load exceeds 1, if the standard deviation of
 * service times is their mean. 1 − 1/load is the share of the requests that exceed what can be
 * served. */
static double excess(const struct grid *g, const struct sums *s)
{
    return sqrt(s->served) * (1 - 1 / load_of(g, s));
}

/* Like excess(), but counts the requests that arrived instead of those that were served. The result
 * is largest for the part in which the backlog grew: while a backlog is only worked off, few
 * requests arrive. */
static double surplus(const struct grid *g, const struct sums *s)
{
    return !suffices(s) ? 0 : sqrt(s->asked) * (1 - 1 / load_of(g, s));
}

/* Returns the number of standard errors by which service times in the part differ from those
 * outside of it, if the standard deviation of service times is their mean. */
static double difference(const struct grid *g, const struct sums *s)
{
    struct sums rest = g->before[g->count];
    add(&rest, s, -1);
    if (!suffices(s) || !suffices(&rest))
        return 0;
    const double ratio = s->service_ns / s->served / (rest.service_ns / rest.served);
    return fabs(log(ratio)) / sqrt(1 / s->served + 1 / rest.served);
}

/* Returns true if the cell may be part of a further episode. Cells next to an episode may not,
 * because a part of it often reaches into them. */
static bool is_free(const struct grid *g, unsigned i)
{
    return !g->cell[i].taken && (i == 0 || !g->cell[i - 1].taken) &&
           (i + 1 == g->count || !g->cell[i + 1].taken);
}

/* Finds the part of free cells with the largest value of `measure`. Returns this value, or 0 if
 * there is no such part. */
static double find_part(const struct grid *g, struct part *found,
                        double (*measure)(const struct grid *g, const struct sums *s))
{
    double largest = 0;
    for (unsigned first = 0; first < g->count; first++) {
        /* A gap does not begin an episode: it is the time of an outage. */
        if (g->cell[first].sums.span_ns == 0)
            continue;
        for (unsigned last = first + 1; last <= g->count && is_free(g, last - 1); last++) {
            const struct part part = {first, last};
            const struct sums sums = sums_of(g, part);
            const double value = last - first < 2 ? 0 : measure(g, &sums);
            if (value > largest) {
                largest = value;
                *found = part;
            }
        }
    }
    return largest;
}

/* Marks the cells around a part: those just before it, and those after it until no more requests
 * are in the system than before it. */
static void mark_surroundings(struct grid *g, struct part part, bool mark)
{
    const double before = part.first > 0 ? g->cell[part.first - 1].in_system : 0;
    for (unsigned i = part.first - (unsigned)min_i64(part.first, EDGE); i < part.first; i++)
        g->cell[i].around = mark;
    for (unsigned i = part.last; i < g->count && g->cell[i - 1].in_system > before; i++)
        g->cell[i].around = mark;
}

static void take(struct grid *g, struct part part, unsigned episode)
{
    for (unsigned i = part.first; i < part.last; i++) {
        g->cell[i].taken = true;
        g->cell[i].episode = episode;
    }
    mark_surroundings(g, part, true);
}

static void leave(struct grid *g, struct part part)
{
    for (unsigned i = part.first; i < part.last; i++)
        g->cell[i].taken = false;
    mark_surroundings(g, part, false);
}

/* Limits each deviation to the size of the largest one but DISTURBED, so that a disturbance of a
 * few cells does not hide an episode. */
static void limit_deviations(double *deviation, unsigned count)
{
    double size[CELLS];
    for (unsigned i = 0; i < count; i++)
        size[i] = fabs(deviation[i]);
    sort_doubles(size, count);
    for (unsigned i = 0; i < count && count > DISTURBED; i++)
        deviation[i] =
            copysign(fmin(fabs(deviation[i]), size[count - 1 - DISTURBED]), deviation[i]);
}

/* Cells whose scatter is estimated. */
struct selection {
    bool around; /* includes the cells around episodes that are not part of one */
    int only;    /* number of a group (group_of()); −1 for all of them */
};

/* Returns the number of the cell's episode, or `episodes` for the rest of the run. */
static unsigned group_of(const struct cell *cell, unsigned episodes)
{
    return cell->taken ? cell->episode : episodes;
}

static bool counts(const struct cell *cell, unsigned episodes, struct selection selection)
{
    return (selection.around || cell->taken || !cell->around) &&
           (selection.only < 0 || group_of(cell, episodes) == (unsigned)selection.only);
}

/*
 * Returns the variance of service times in relation to the square of their mean. The variance is
 * estimated from the scatter of the cells around the mean of their episode or of the rest. Service
 * times may depend on each other over many cells, so the result may be more than the variance of
 * single values.
 */
static struct noise scatter_of(const struct grid *g, unsigned episodes, struct selection selection)
{
    struct sums of[EPISODES_MAX + 1] = {0};
    struct noise_series series = {0};
    struct noise noise = {INFINITY, 1};
    double deviation[CELLS], served[CELLS], all = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < g->count; i++)
        if (counts(&g->cell[i], episodes, selection))
            add(&of[group_of(&g->cell[i], episodes)], &g->cell[i].sums, 1);
    for (unsigned i = 0; i < g->count; i++) {
        const struct sums *own = &g->cell[i].sums;
        const struct sums *group = &of[group_of(&g->cell[i], episodes)];
        if (own->served == 0 || !counts(&g->cell[i], episodes, selection))
            continue;
        served[count] = own->served;
        all += own->served;
        deviation[count++] = (own->service_ns / (group->service_ns / group->served) - own->served) /
                             sqrt(own->served);
    }
    limit_deviations(deviation, count);
    for (unsigned i = 0; i < count; i++)
        noise_series_add(&series, served[i] + deviation[i] * sqrt(served[i]), served[i]);
    if (series.count >= (selection.only < 0 ? 2 : GROUP_MIN))
        noise = noise_of_series(&series);
    noise_series_fini(&series);
    noise.variance *= all;
    return noise;
}

/* Returns the smaller scatter. If workers wait for each other, for example for the lock of a row,
 * service times grow with the backlog and are long until it is worked off, so the cells around an
 * episode would add to the scatter of the rest. Without them, a disturbance of a short rest weighs
 * more. */
static struct noise scatter(const struct grid *g, unsigned episodes)
{
    const struct noise all = scatter_of(g, episodes, (struct selection){true, -1});
    const struct noise without = scatter_of(g, episodes, (struct selection){false, -1});
    return without.variance < all.variance ? without : all;
}

/* Returns true if the backlog grew by at least the share GROWTH of the requests that exceed what
 * can be served. */
static bool grows(const struct grid *g, struct part part, const struct sums *s)
{
    const double before = part.first > 0 ? g->cell[part.first - 1].in_system : 0;
    double most = before;
    for (unsigned i = part.first; i < part.last; i++)
        most = fmax(most, g->cell[i].in_system);
    return most - before + s->dropped >= GROWTH * s->asked * (1 - 1 / load_of(g, s));
}

static struct episode describe(const struct grid *g, struct part part)
{
    const struct sums s = sums_of(g, part);
    struct sums rest = g->before[g->count];
    add(&rest, &s, -1);
    const int64_t from_ns = g->search->from_ns;
    return (struct episode){
        .from_ns = from_ns + part.first * g->cell_ns,
        .to_ns = part.last == g->count ? g->search->to_ns : from_ns + part.last * g->cell_ns,
        .asked_per_s = s.asked / s.span_ns * NS_PER_SEC,
        .rest_asked_per_s = rest.span_ns > 0 ? rest.asked / rest.span_ns * NS_PER_SEC : 0,
        .load = load_of(g, &s),
        .service_ns = s.service_ns / s.served,
        .rest_service_ns = rest.served > 0 ? rest.service_ns / rest.served : 0};
}

/* Returns the noise with the smaller variance. */
static struct noise smaller(struct noise a, struct noise b)
{
    return b.variance < a.variance ? b : a;
}

/* Returns the noise of the difference of service times between a part and the rest, each of which
 * has a scatter of its own (B. L. Welch, 1947), in relation to difference(): a disturbance of the
 * rest has little weight in its mean. */
static struct noise noise_between(const struct grid *g, const struct sums *s, struct noise own,
                                  struct noise rest)
{
    const double rest_served = g->before[g->count].served - s->served;
    const double variance = own.variance / s->served + rest.variance / rest_served;
    return (struct noise){variance / (1 / s->served + 1 / rest_served),
                          fmin(own.degrees, rest.degrees)};
}

/* `k` is the number of the part among `count` candidates. */
static bool is_overload(const struct grid *g, struct part part, unsigned k, unsigned count)
{
    const struct sums sums = sums_of(g, part);
    const struct episode e = describe(g, part);
    const struct noise noise = scatter(g, count);
    const struct noise own = scatter_of(g, count, (struct selection){false, (int)k});
    const struct noise rest = scatter_of(g, count, (struct selection){false, (int)count});
    const struct noise between = smaller(noise, noise_between(g, &sums, own, rest));
    const bool given = e.asked_per_s >= ASKED_RATIO * e.rest_asked_per_s ||
                       difference(g, &sums) >= noise_limit(between, CHANCE_SERVICE);
    return excess(g, &sums) >= (given ? SIGMAS_GIVEN * sqrt(smaller(noise, own).variance)
                                      : noise_limit(noise, CHANCE_LOAD));
}

/* Returns the share of the part in the time without gaps. */
static double share_of(const struct grid *g, struct part part)
{
    return sums_of(g, part).span_ns / g->before[g->count].span_ns;
}

/* Finds parts in which more requests arrived than could be served, also if chance may be the cause.
 * Returns their number; the first part has the largest surplus. */
static unsigned find_candidates(struct grid *g, struct part part[EPISODES_MAX])
{
    unsigned count = 0;
    while (count < EPISODES_MAX && find_part(g, &part[count], surplus) > 0) {
        const struct sums sums = sums_of(g, part[count]);
        if (load_of(g, &sums) < LOAD_MIN || !grows(g, part[count], &sums))
            break;
        take(g, part[count], count);
        count++;
    }
    return count;
}

/* Keeps only the candidates that chance does not explain. The weakest candidate is judged first. If
 * chance explains it, its cells belong to the rest when the others are judged. */
static void find_overload(struct grid *g, struct episodes *episodes)
{
    struct part part[EPISODES_MAX];
    unsigned count = find_candidates(g, part);
    while (count > 0 && !is_overload(g, part[count - 1], count - 1, count))
        leave(g, part[--count]);
    for (unsigned i = 0; i < count; i++) {
        const struct episode e = describe(g, part[i]);
        episodes->list[episodes->count++] = e;
        episodes->overloaded += share_of(g, part[i]);
    }
}

static void find_change(struct grid *g, struct episodes *episodes)
{
    struct part part;
    const double value = find_part(g, &part, difference);
    if (value <= 0)
        return;
    take(g, part, 0);
    const struct episode e = describe(g, part);
    const double share = share_of(g, part), ratio = e.service_ns / e.rest_service_ns;
    episodes->change = e;
    episodes->change_share = share;
    episodes->changed = fmax(ratio, 1 / ratio) >= CHANGE_RATIO &&
                        fmin(share, 1 - share) >= CHANGE_SHARE_MIN &&
                        value >= noise_limit(scatter(g, 1), CHANCE_CHANGE);
}

static void sort_by_time(struct episodes *episodes)
{
    for (unsigned i = 1; i < episodes->count; i++)
        for (unsigned k = i; k > 0 && episodes->list[k].from_ns < episodes->list[k - 1].from_ns;
             k--) {
            const struct episode e = episodes->list[k];
            episodes->list[k] = episodes->list[k - 1];
            episodes->list[k - 1] = e;
        }
}

void episodes_find(struct episodes *episodes, const struct episodes_search *search)
{
    struct grid grid;
    *episodes = (struct episodes){0};
    if (search->to_ns <= search->from_ns || search->workers == 0)
        return;
    make_grid(&grid, search);
    if (grid.before[grid.count].served < ALL_MIN)
        return;
    find_overload(&grid, episodes);
    sort_by_time(episodes);
    if (episodes->count == 0)
        find_change(&grid, episodes);
}
