/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a run keeps its objectives: at its end, and while it goes on. One thread, the reporter's.
 */
#ifndef SLO_JUDGE_H
#define SLO_JUDGE_H

#include "options/slo.h"
#include "stats/snapshot.h"

struct slo_figure {
    double value;     /* in slo_unit() */
    bool lower_bound; /* it may be more: too many requests have no end (distribution.h) */
    bool known;       /* something was measured */
    bool none;        /* nothing was of the type that is asked for, which the run has */
    bool met;
};

struct slo_text {
    char text[64];
};

/*
 * ">12.30 ms": two decimals, or where these would say nothing two digits that do; "-" when nothing
 * is known.
 */
struct slo_text slo_figure_text(const struct slo_objective *objective,
                                const struct slo_figure *figure);

struct slo_judgement {
    const struct slo *slo;
    bool met; /* all of them */
    struct slo_figure figure[SLO_MAX];
};

/*
 * Judges what was recorded in `span_ns`. An objective is met when its figure is known, is on the
 * right side of the limit and is no lower bound.
 */
void slo_judge(struct slo_judgement *j, const struct slo *slo, const struct snapshot *s,
               int64_t span_ns);

/* The response times that the objective is for; NULL: the run has no such type. */
const struct distribution *slo_responses(const struct slo_objective *o, const struct snapshot *s);

/*
 * Whether the run as a whole can no longer meet its objectives, whatever comes: too many of the
 * `arrivals` that it will have in all have missed already. `s`: what was recorded so far.
 */
bool slo_is_lost(const struct slo *slo, const struct snapshot *s, double arrivals);

/* Looks at windows of a run, to end it when it has missed for long. */
struct slo_watch {
    const struct slo *slo;
    int64_t abort_ns;        /* to be missed for so long */
    int64_t from_ns;         /* when the window began; these times: since the start of the run */
    int64_t missed_since_ns; /* −1: the last window met all objectives */
    int64_t stuck_since_ns; /* since when the same requests are there, at least; −1: none known */
    struct snapshot window;
};

/* The first window begins at `from_ns`. */
void slo_watch_init(struct slo_watch *w, const struct slo *slo, int64_t abort_ns, int64_t from_ns);
void slo_watch_fini(struct slo_watch *w);
void slo_watch_add(struct slo_watch *w, const struct snapshot *recorded);
/*
 * At `now_ns`, with `in_system` requests waiting or in service: judges the window if it has lasted
 * long enough and begins the next. True when all windows of the last abort_ns have missed. One in
 * which nothing ended has missed when requests are known to be there for longer than the shortest
 * time limit; else it changes nothing.
 */
bool slo_watch_look(struct slo_watch *w, int64_t now_ns, uint64_t in_system);

#endif
